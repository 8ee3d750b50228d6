#include "cluster_text.hpp"

#include "support/text.hpp"

namespace opcat {

std::string for_terminal(const std::string& text, unsigned indent) {
    std::string out;
    for (const char c : escape_controls_in_lines(text)) {
        out += c;
        if (c == '\n') out += std::string(indent, ' ');
    }
    while (!out.empty() && (out.back() == ' ' || out.back() == '\n')) out.pop_back();
    return out;
}

} // namespace opcat
