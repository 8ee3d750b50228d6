#include "image/printable.hpp"

#include "base/text.hpp"

namespace opcat::image {

std::string printable(std::string_view text) {
    constexpr size_t longest = 300;
    std::string shown;
    for (const std::string_view character : utf8_characters(text.substr(0, longest + 1))) {
        if (shown.size() >= longest) return shown + "…";
        const auto first = static_cast<unsigned char>(character[0]);
        const bool control =
            first < 0x20 || first == 0x7f ||
            (first == 0xc2 && character.size() == 2 && static_cast<unsigned char>(character[1]) < 0xa0);
        if (control)
            shown += ' ';
        else if (first >= 0x80 && character.size() == 1)
            shown += "\xef\xbf\xbd"; // U+FFFD
        else
            shown += character;
    }
    return shown;
}

bool looks_like_html(std::string_view body) {
    const size_t start = body.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || body[start] != '<') return false;
    const std::string begin = ascii_lower(body.substr(start, 100));
    return begin.starts_with("<!doctype html") || begin.starts_with("<html");
}

} // namespace opcat::image
