#include "opcat/document/simple_yaml_reader.hpp"
#include "opcat/document/source_details.hpp"
#include "reading.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

namespace {

// "KEY BEFORE,AGAIN" with the lines, for each.
std::string repeated(const SourceFile& file, const Value& value) {
    std::string text;
    for (const RepeatedKey& key : find_repeated_keys(value)) {
        if (!text.empty()) text += "; ";
        text += fmt::format("{} {},{}", key.again.string(), file.position(key.before.offset()).line,
                            file.position(key.again.offset()).line);
    }
    return text;
}

struct RepeatedCase {
    std::string_view text;
    std::string_view repeated;
};

} // namespace

TEST_CASE("keys that are given twice in one object are found, at their places") {
    const RepeatedCase cases[] = {
        {"a: 1\nb: 2\n", ""},
        {"a: 1\nb: 2\na: 3\n", "a 1,3"},
        {"a: 1\na: 2\na: 3\n", "a 1,2; a 2,3"},
        {"a: {b: 1}\nc: {b: 2}\n", ""},
        {"a:\n- b: 1\n  c: 2\n  b: 3\n- b: 4\n", "b 2,4"},
        {"a: {b: 1,\n  b: 2}\na: 3\n", "b 1,2; a 1,3"},
        {"1: a\n'1': b\n", "1 1,2"}, // the same key in JSON
        {"name: a\nName: b\n", ""},
        {"a:\na:\n", "a 1,2"},
        // Content of an alias was written elsewhere.
        {"x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  a: 2\n", ""},
        {"x: &x {a: 1, b: 2}\n<<: *x\na: 2\n", ""},
        {"x: &x {a: 1,\n  a: 2}\ny: *x\nz: [*x, *x]\n", "a 1,2"},
        {"x: &x {a: 1}\ny:\n  <<: *x\n  b: 2\n  b: 3\n", "b 4,5"},
        {"- &x {a: 1}\n- *x\n- {a: 1,\n  a: 2}\n", "a 3,4"},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        const auto read = read_as_yaml(text);
        CHECK(repeated(read->file, read->value) == expected);
        const SourceFile file("f", text);
        Arena arena;
        if (const auto value = read_simple_yaml(file, 0, static_cast<uint32_t>(text.size()), arena))
            CHECK(repeated(file, *value) == expected);
    }
    const auto json = read_as_json("{\"a\": [{\"b\": 1,\n\"b\": 2}],\n\"\\u0061\": 3}");
    CHECK(repeated(json->file, json->value) == "b 1,2; a 1,3");
}

TEST_CASE("repeated keys are found in large and in deep objects") {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += fmt::format("key{}: 1\n", i);
    text += "key7: 2\n";
    const auto large = read_as_yaml(text);
    CHECK(repeated(large->file, large->value) == "key7 8,200001");
    std::string deep;
    for (int i = 0; i < 9'000; ++i) deep += "{\"a\":";
    deep += "{\"b\": 1,\n\"b\": 2}" + std::string(9'000, '}');
    const auto nested = read_as_json(deep);
    CHECK(repeated(nested->file, nested->value) == "b 1,2");
}

TEST_CASE("comments of YAML are found, and other text with a # is not") {
    struct {
        std::string_view text;
        std::string_view comments;
    } const cases[] = {
        {"a: b\n", ""},
        {"# one\na: b # two\n#three", "# one|# two|#three|"},
        {"a: b#c\n", ""},
        {"a: 'x # y'\nb: \"x # y\"\n", ""},
        {"a: 'x\n  # y'\n", ""},
        {"a: |\n  x # y\n  # z\nb: c\n", ""},
        {"a: | # one\n  x # y\n# two\nb: c\n", "# one|# two|"},
        {"a: >-\n  x\n\n  # y\n\n# one\n", "# one|"},
        {"a: b\n  c # one\n", "# one|"},
        {"a: &x#y b\nc: *x#y\n", ""},
        {"{a: b, # one\n c: [d] # two\n}\n", "# one|# two|"},
        {"é: 'ü # ö' # ä\r\nb: c\r\n", "# ä|"},
        {"a: b\n--- # one\nc: d\n---\n# two\n", "# one|# two|"},
        {"--- # one\r\na: b\n---# two\rx # y\nc: d\n---#three", "# one|# two\rx # y|#three|"},
        {"{\"a\": \"# b\"}\n", ""},
        {"{\"a\": 1}\n---\nb: c # one\n", "# one|"},
        {"a: @b # one\nb: 'c # d'\n", "# one|# d'|"}, // invalid YAML: everything that may be a comment
        // Only opm's YAML accepts \\'; an anchor keeps the simple reader away.
        {"x: &y 1\na: \"it\\'s # a\" # b\nc: |\n  d # e\nf: \"\\'\" # g\n", "# b|# g|"},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        const SourceFile file("a.yaml", text);
        std::string found;
        for (const Location& comment : find_yaml_comments(file))
            found += std::string(file.bytes().substr(comment.offset, comment.length)) + "|";
        CHECK(found == expected);
    }
}
