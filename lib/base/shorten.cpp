#include "base/shorten.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <vector>

namespace opcat {
namespace {

// As many characters of the beginning, or of the end, as have room.
std::string_view ends(const std::vector<std::string_view>& characters, std::string_view cell, size_t columns,
                      bool end) {
    size_t bytes = 0;
    size_t used = 0;
    for (size_t i = 0; i < characters.size(); ++i) {
        const std::string_view character = characters[end ? characters.size() - 1 - i : i];
        used += display_width(character);
        if (used > columns) break;
        bytes += character.size();
    }
    return end ? cell.substr(cell.size() - bytes) : cell.substr(0, bytes);
}

} // namespace

std::string shorten(std::string_view text, size_t columns) {
    if (display_width(text) <= columns) return std::string(text);
    const std::vector<std::string_view> characters = utf8_characters(text);
    const size_t tail = (columns - 1) / 2;
    return std::string(ends(characters, text, columns - 1 - tail, false)) + "…" +
           std::string(ends(characters, text, tail, true));
}

std::string shorten_list(std::span<const std::string_view> items, size_t columns) {
    std::string text;
    size_t width = 0;
    for (size_t i = 0; i < items.size(); ++i) {
        width += display_width(items[i]) + (i > 0 ? 1 : 0);
        if (i > 0 && width > columns) return fmt::format("{} and {} more", text, items.size() - i);
        if (i > 0) text += ',';
        text += items[i];
    }
    return text;
}

} // namespace opcat
