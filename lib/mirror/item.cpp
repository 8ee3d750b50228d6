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
    const auto sources = annotations.find(sources_annotation);
    return {name, catalogs, digest,
            sources == annotations.end() ? std::set<std::string>() : word_set(sources->second), platforms};
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

} // namespace opcat
