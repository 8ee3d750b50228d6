#include "help/roff.hpp"

#include "base/text.hpp"

namespace opcat {
namespace {

// Manuals are read as text, too: lines of at most 80 bytes.
constexpr size_t roff_width = 72;

} // namespace

std::string roff_text(std::string_view text) {
    std::string out;
    if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if (c == '^')
            out += "\\(ha";
        else if (c == '~')
            out += "\\(ti";
        else
            out += c;
    }
    return out;
}

std::string roff_filled(std::string_view text) {
    std::string out;
    const std::string wrapped = wrap(text, roff_width);
    for (const std::string_view line : lines_of(wrapped)) {
        if (line.starts_with('.') || line.starts_with('\'')) out += "\\&";
        out += std::string(line) + "\n";
    }
    if (!out.empty()) out.pop_back();
    return out;
}

std::string roff_code(std::string_view code) {
    std::string out;
    for (const std::string_view line : lines_of(code)) {
        std::string text;
        for (const char c : roff_text(line))
            text += c == '`' ? std::string("\\(ga") : c == '\'' ? std::string("\\(aq") : std::string(1, c);
        // A backslash at the end joins a line with the next.
        while (text.size() > roff_width) {
            const size_t blank = text.rfind(' ', roff_width);
            if (blank == text.npos || text.find_first_not_of(' ') > blank) break;
            out += text.substr(0, blank + 1) + "\\\n";
            text.erase(0, blank + 1);
        }
        out += text + "\n";
    }
    return out;
}

} // namespace opcat
