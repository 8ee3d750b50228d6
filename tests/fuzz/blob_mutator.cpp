#include "blob_mutator.hpp"

#include "../choices.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

using opcat::test::Choices;
using Lines = std::vector<std::string>;

constexpr std::array<std::string_view, 24> field_words = {"schema",
                                                          "olm.package",
                                                          "olm.channel",
                                                          "olm.bundle",
                                                          "olm.deprecations",
                                                          "name",
                                                          "package",
                                                          "entries",
                                                          "replaces",
                                                          "skips",
                                                          "skipRange",
                                                          "properties",
                                                          "type",
                                                          "value",
                                                          "packageName",
                                                          "version",
                                                          "image",
                                                          "relatedImages",
                                                          "defaultChannel",
                                                          "reference",
                                                          "message",
                                                          "olm.gvk.required",
                                                          "1.0.0",
                                                          ">=1.0.0 <2.0.0"};

Lines split_lines(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

size_t indentation(const std::string& line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

// A line and the deeper ones behind it: in YAML and in indented JSON a part of the tree.
struct Block {
    size_t begin;
    size_t end;
};

Block block_at(const Lines& lines, size_t begin) {
    size_t end = begin + 1;
    while (end < lines.size() && indentation(lines[end]) > indentation(lines[begin])) ++end;
    return {begin, end};
}

Lines taken(Lines& lines, const Block& block, bool leave) {
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(block.begin);
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(block.end);
    Lines some(begin, end);
    if (!leave) lines.erase(begin, end);
    return some;
}

// As deep as what was in that place before.
void insert(Lines& lines, size_t place, Lines block) {
    const size_t wanted = place < lines.size() ? indentation(lines[place]) : 0;
    const size_t has = indentation(block.front());
    for (std::string& line : block) {
        if (wanted > has) line.insert(0, wanted - has, ' ');
        if (wanted < has) line.erase(0, std::min(has - wanted, indentation(line)));
    }
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), block.begin(), block.end());
}

bool is_in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("._-/@:+<>=", c);
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (size_t at = 0; at < line.size();) {
        size_t end = at;
        while (end < line.size() && line[end] != '\0' && is_in_word(line[end])) ++end;
        // The colon behind a key is not a part of it.
        const size_t length = end - at - (end > at && line[end - 1] == ':');
        if (length > 0) words.push_back(line.substr(at, length));
        at = end + 1;
    }
    return words;
}

void replace_word(Lines& lines, Choices& choices) {
    std::string& line = lines[choices.below(lines.size())];
    const std::string& other = lines[choices.below(lines.size())];
    const auto words = words_of(line);
    const auto others = words_of(other);
    if (words.empty()) return;
    const std::string_view old = choices.any_of(words);
    const std::string now(others.empty() || choices.one_in(4) ? choices.any_of(field_words)
                                                              : choices.any_of(others));
    line.replace(static_cast<size_t>(old.data() - line.data()), old.size(), now);
}

void change(Lines& lines, Choices& choices) {
    const Block block = block_at(lines, choices.below(lines.size()));
    switch (choices.below(5)) {
    case 0:
        taken(lines, block, false);
        break;
    case 1: {
        Lines copy = taken(lines, block, true);
        insert(lines, choices.below(lines.size() + 1), std::move(copy));
        break;
    }
    case 2: {
        Lines moved = taken(lines, block, false);
        insert(lines, choices.below(lines.size() + 1), std::move(moved));
        break;
    }
    default:
        replace_word(lines, choices);
    }
}

} // namespace

size_t opcat::fuzz::mutate_blobs(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    Choices choices(seed);
    Lines lines = split_lines({reinterpret_cast<const char*>(data), size});
    if (lines.empty() || choices.one_in(2)) return LLVMFuzzerMutate(data, size, max_size);
    for (size_t changes = 1 + choices.below(3); changes > 0 && !lines.empty(); --changes)
        change(lines, choices);
    std::string text;
    for (const std::string& line : lines) text += line;
    const size_t length = std::min(text.size(), max_size);
    std::memcpy(data, text.data(), length);
    return length;
}
