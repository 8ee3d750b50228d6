#include "opcat/cel/issues.hpp"

#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::cel {
namespace {

constexpr size_t max_reported = 100;

std::string to_text(const Source& source, size_t position, std::string_view message) {
    const std::u32string& text = source.text();
    if (text.empty()) return fmt::format("ERROR: <input>:1:0: {}", message);
    const size_t before = std::min(position, text.size());
    const auto line =
        static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(before), U'\n'));
    size_t begin = before;
    while (begin > 0 && text[begin - 1] != U'\n') --begin;
    const size_t end = std::min(text.find(U'\n', begin), text.size());

    std::string shown = source.part(begin, end);
    std::replace(shown.begin(), shown.end(), '\t', ' ');
    std::string mark;
    // Wide marks under whatever is not ASCII keep the mark in place in most fonts.
    for (size_t i = begin; i < before; ++i) mark += text[i] < 0x80 ? "." : "\xef\xbc\x8e";
    mark += before < end && text[before] >= 0x80 ? "\xef\xbc\xbe" : "^";
    return fmt::format("ERROR: <input>:{}:{}: {}\n | {}\n | {}", line + 1, before - begin + 1, message, shown,
                       mark);
}

} // namespace

Source::Source(std::string_view text) {
    for (const std::string_view character : utf8_characters(text))
        text_ += utf8_sequence_length(character) == character.size() ? decode_utf8(character) : U'\ufffd';
}

std::string Source::part(size_t begin, size_t end) const {
    std::string utf8;
    for (size_t i = begin; i < std::min(end, text_.size()); ++i) append_utf8(utf8, text_[i]);
    return utf8;
}

std::string Issues::to_text(const Source& source) const {
    std::vector<Issue> sorted = issues_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Issue& a, const Issue& b) { return a.position < b.position; });
    std::string text;
    for (size_t i = 0; i < std::min(sorted.size(), max_reported); ++i) {
        if (i > 0) text += '\n';
        text += cel::to_text(source, sorted[i].position, sorted[i].message);
    }
    if (sorted.size() > max_reported)
        text += fmt::format("\n{} more errors were truncated", sorted.size() - max_reported);
    return text;
}

} // namespace opcat::cel
