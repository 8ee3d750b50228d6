#include "../document/reading.hpp"
#include "opcat/go/fields.hpp"

#include <doctest/doctest.h>

using namespace opcat;

TEST_CASE("keys match fields in any letter case") {
    for (const std::string_view key : {"skips", "SKIPS", "sKiPs", "\u017fkip\u017f", "s\u212aips"})
        CHECK(means_field(key, "skips"));
    for (const std::string_view key : {"", "skip", "skips ", "skipss", "\u00dfkips", "s\u212aip"})
        CHECK_FALSE(means_field(key, "skips"));
}

TEST_CASE("of several spellings, a map uses the last one in byte order, and text the last one written") {
    struct Case {
        std::string_view json, in_map, in_text, of_converter;
    };
    const Case cases[] = {
        {R"({"a":1,"A":2})", "1", "2", "1"},
        {R"({"A":2,"a":1})", "1", "1", "1"},
        {R"({"A":2,"a":1,"a":3})", "3", "3", "3"},
        {R"({"a":3,"A":2,"a":1})", "1", "1", "1"},
        {R"({"b":1})", "", "", ""},
        {R"([1])", "", "", ""},
        // Null changes nothing; a map does not have the first value of a repeated key.
        {R"({"A":2,"a":null})", "2", "2", "null"},
        {R"({"a":null,"A":2})", "2", "2", "null"},
        {R"({"a":1,"a":null})", "null", "1", "null"},
        {R"({"a":null,"A":null})", "null", "null", "null"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.json);
        const auto read = read_as_json(one.json);
        const auto found = [&](go::Route route) {
            const Value* const value = find_field(read->value, "a", route);
            std::string text;
            if (value) append_compact_json(text, *value);
            return text;
        };
        CHECK(found(go::Route::map) == one.in_map);
        CHECK(found(go::Route::text) == one.in_text);
        CHECK(found(go::Route::converter) == one.of_converter);
    }
}

TEST_CASE("null resets a pointer") {
    const auto read = read_as_json(R"({"a":1,"A":null})");
    CHECK(find_pointer_field(read->value, "a", go::Route::text) == nullptr);
    CHECK(find_pointer_field(read->value, "a", go::Route::map)->integer() == 1);
}
