// The control sequences of ECMA-48 (SGR) that set the colours and the weight of text on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace opcat {

// These stay readable on a dark and on a light background. All of it is empty where output has no colours.
struct Colours {
    std::string_view bold, dim, red, green, yellow, cyan, bold_red, bold_green, bold_magenta, bold_cyan;
    std::string_view reset;

    // `text` in one of these.
    std::string paint(std::string_view colour, std::string_view text) const {
        return std::string(colour).append(text).append(reset);
    }
};

constexpr Colours colours(bool wanted) {
    if (!wanted) return {};
    return {.bold = "\x1b[1m",
            .dim = "\x1b[2m",
            .red = "\x1b[31m",
            .green = "\x1b[32m",
            .yellow = "\x1b[33m",
            .cyan = "\x1b[36m",
            .bold_red = "\x1b[1;31m",
            .bold_green = "\x1b[1;32m",
            .bold_magenta = "\x1b[1;35m",
            .bold_cyan = "\x1b[1;36m",
            .reset = "\x1b[0m"};
}

} // namespace opcat
