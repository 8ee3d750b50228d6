#include "opcat/base/go_quote.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;
using namespace std::string_view_literals;

TEST_CASE("text is quoted as Go's %q does it") {
    const struct {
        std::string_view text, quoted;
    } cases[] = {
        {"", R"("")"},
        {"1.2.3", R"("1.2.3")"},
        {"it's `so`", R"("it's `so`")"},
        {"a\"b\\c", R"("a\"b\\c")"},
        {"\a\b\f\n\r\t\v", R"("\a\b\f\n\r\t\v")"},
        {"\0\x01\x1b\x1f\x7f"sv, R"("\x00\x01\x1b\x1f\x7f")"},
        {"é操😀", R"("é操😀")"},
        {"\u0085\u00a0\u00ad", R"("\u0085\u00a0\u00ad")"},
        {"\u2003\u200b\u2028\ufeff", R"("\u2003\u200b\u2028\ufeff")"},
        {"\ue000\uffff", R"("\ue000\uffff")"},
        {"\U000f0000\U0010ffff", R"("\U000f0000\U0010ffff")"},
        {"e\u0301", "\"e\u0301\""},
        {"\xff\xc3", R"("\xff\xc3")"},
        {"\xed\xa0\x80", R"("\xed\xa0\x80")"},
        {"\xc0\x80", R"("\xc0\x80")"},
        {"\xf4\x90\x80\x80", R"("\xf4\x90\x80\x80")"},
        {"\ufffd", "\"\ufffd\""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.quoted);
        CHECK(go_quote(c.text) == c.quoted);
    }
}

TEST_CASE("what is printable is what Unicode 15.0 assigns, neither less nor more") {
    CHECK(go_quote("\U0001fae8") == "\"\U0001fae8\"");  // new in 15.0
    CHECK(go_quote("\U00031350") == "\"\U00031350\"");  // new in 15.0
    CHECK(go_quote("\U0002ebf0") == R"("\U0002ebf0")"); // new in 15.1
    CHECK(go_quote("\U0001fae9") == R"("\U0001fae9")"); // new in 16.0
    CHECK(go_quote("\u0378") == R"("\u0378")");         // not assigned
    CHECK(go_quote("\U00013439") == R"("\U00013439")"); // a format character
}
