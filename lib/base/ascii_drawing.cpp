#include "base/ascii_drawing.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace opcat {
namespace {

struct Drawn {
    std::string_view character, in_ascii;
};
constexpr Drawn drawn[] = {{"●", "*"}, {"○", "o"}, {"◌", "."}, {"│", "|"},  {"├", "|"}, {"╰", "`"},
                           {"─", "-"}, {"━", "="}, {"—", "-"}, {"→", "->"}, {"×", "x"}};

} // namespace

std::string draw_in_ascii(std::string_view text, std::string_view ellipsis) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto plain = std::find_if_not(text.begin(), text.end(), is_ascii) - text.begin();
        out += text.substr(0, static_cast<size_t>(plain));
        text.remove_prefix(static_cast<size_t>(plain));
        if (text.empty()) break;
        const std::string_view character = text.substr(0, std::max<size_t>(1, utf8_sequence_length(text)));
        const auto* const known = std::find_if(std::begin(drawn), std::end(drawn),
                                               [&](const Drawn& one) { return one.character == character; });
        out += character == "…" ? ellipsis : known == std::end(drawn) ? character : known->in_ascii;
        text.remove_prefix(character.size());
    }
    return out;
}

} // namespace opcat
