#include "base/wrap.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace opcat {

std::string wrap(std::string_view text, size_t width, size_t indent) {
    std::string out;
    size_t column = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        const size_t columns = display_width(word);
        if (column > 0 && column + 1 + columns > width) {
            out += '\n' + std::string(indent, ' ');
            column = 0;
        } else if (column > 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += columns;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

} // namespace opcat
