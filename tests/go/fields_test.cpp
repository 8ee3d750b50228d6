#include "../document/reading.hpp"
#include "opcat/go/fields.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("a key means a field in any letter case") {
    for (const std::string_view key : {"skips", "SKIPS", "sKiPs", "\u017fkip\u017f", "s\u212aips"})
        CHECK(means_field(key, "skips"));
    for (const std::string_view key : {"", "skip", "skips ", "skipss", "\u00dfkips", "s\u212aip"})
        CHECK_FALSE(means_field(key, "skips"));
}

TEST_CASE("of several spellings the last one in byte order counts that is not null") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {R"({"a":1,"A":2})", "1"},
        {R"({"A":2,"a":1,"a":3})", "3"},
        {R"({"A":2,"a":null})", "2"},
        {R"({"a":null,"A":2})", "2"},
        {R"({"a":null,"A":null})", "null"},
        {R"({"b":1})", ""},
        {R"([1])", ""},
    };
    for (const auto& [json, expected] : cases) {
        CAPTURE(json);
        const auto read = read_as_json(json);
        const Value* const found = find_field(read->value, "a");
        std::string text;
        if (found) append_compact_json(text, *found);
        CHECK(text == expected);
    }
}
