#include "opcat/mirror/item.hpp"

#include <algorithm>

namespace opcat {

std::string join_words(const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::set<std::string> word_set(const std::string& text) {
    std::set<std::string> words;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.size(), text.find(' ', begin));
        if (end > begin) words.insert(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::string annotation(const image::IndexEntry& entry, const char* name) {
    const auto at = entry.annotations.find(name);
    return at == entry.annotations.end() ? std::string() : at->second;
}

OwnedImage MirrorItem::owned(const std::string& digest) const {
    OwnedImage image{name, catalogs, digest, {}, platforms};
    if (const auto at = annotations.find(sources_annotation); at != annotations.end())
        image.sources = word_set(at->second);
    if (const auto at = annotations.find(signatures_annotation); at != annotations.end())
        add_words(at->second, image.signatures);
    return image;
}

void MirrorItem::set_platforms(const Platforms& wanted) {
    platforms = wanted;
    if (wanted.empty())
        annotations.erase(platforms_annotation);
    else
        annotations[platforms_annotation] = join_words(wanted);
}

std::vector<image::Platform> parsed_platforms(const Platforms& platforms) {
    std::vector<image::Platform> parsed;
    for (const std::string& platform : platforms)
        parsed.push_back(required(image::Platform::parse(platform)));
    return parsed;
}

bool MirrorItem::is_made() const {
    const auto kind = annotations.find(kind_annotation);
    return kind != annotations.end() && (kind->second == catalog_kind || kind->second == graph_kind);
}

} // namespace opcat
