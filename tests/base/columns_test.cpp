#include "base/table.hpp"

#include <doctest/doctest.h>

using opcat::align_columns;

TEST_CASE("columns are as wide as their widest cell and two blanks") {
    const struct {
        std::string_view text, aligned;
    } cases[] = {
        {"", ""},
        {"a\n", "a\n"},
        {"A\tB\tC\nlong\t\tx\n", "A     B  C\nlong     x\n"},
        {"é\tx\nee\ty\n", "é   x\nee  y\n"}, // code points, not bytes
        {"a\tb\nno cells\nlonger\tc\n",
         "a  b\nno cells\nlonger  c\n"}, // a line without a cell ends the column
        {"a\tb\tc\nd\te\n", "a  b  c\nd  e\n"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(align_columns(c.text) == c.aligned);
    }
}
