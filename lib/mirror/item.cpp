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

} // namespace opcat
