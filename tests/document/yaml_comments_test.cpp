#include "document/yaml_comments.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat;

TEST_CASE("comments of YAML are found, and nothing else that has a #") {
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
        {"{\"a\": \"# b\"}\n", ""},
        {"{\"a\": 1}\n---\nb: c # one\n", "# one|"},
        {"a: @b # one\nb: 'c # d'\n", "# one|# d'|"}, // not YAML: whatever may be one
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
