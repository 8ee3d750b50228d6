#include "opcat/lsp/cursor.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace opcat::lsp;

TEST_CASE("the text before and after a cursor determines its field") {
    // "|" is the cursor.
    const struct {
        std::string text;
        std::string_view field;
        bool is_key;
        std::string_view typed;   // that is replaced
        std::string_view sibling; // "name=value" of the innermost object
    } cases[] = {
        {"", "", true, "", ""},
        {"sch|", "", true, "sch", ""},
        {"schema: olm.ch|", "schema", false, "olm.ch", ""},
        {"---\nschema: olm.ch|annel\nname: x\n", "schema", false, "olm.channel", "name=x"},
        {"schema: x\n|", "", true, "", "schema=x"},
        {"schema: \"a|b\" # c\n", "schema", false, "ab", ""},
        {"a: 1\nentries:\n  - name: x\n    rep|\n", "entries[]", true, "rep", "name=x"},
        {"entries:\n  - name: x\n    replaces: y|\n  - name: z\n", "entries[].replaces", false, "y",
         "name=x"},
        {"entries:\n- name: x\n  replaces: |\n", "entries[].replaces", false, "", "name=x"},
        {"entries:\n- |\n", "entries[]", true, "", ""},
        {"entries:\n  - name: x\n    skips:\n      - a\n      - b|\n", "entries[].skips[]", true, "b", ""},
        {"entries:\n  - name: x\n    skips: [a, b|]\n", "entries[].skips[]", false, "b", "name=x"},
        {"properties:\n  - type: t\n    value: {packageName: a, version: |}\n", "properties[].value.version",
         false, "", "packageName=a"},
        {"properties:\n  - {type: t, value: {packageName: a, ver|}}\n", "properties[].value", true, "ver",
         "packageName=a"},
        {"properties:\n  - type: t\n    value:\n      packageName: |\n", "properties[].value.packageName",
         false, "", ""},
        {"properties:\n  - type: t\n    value: {packageName: a,\n      version: |}\n",
         "properties[].value.version", false, "", "packageName=a"},
        {"{\"schema\": \"olm.ch|\"}", "schema", false, "olm.ch", ""},
        {"{\"schema\": \"x\", \"entries\": [{\"name\": \"y\", \"rep|\"", "entries[]", true, "rep", "name=y"},
        {"{\"schema\": \"x\", \"entries\": [{\"name\": \"y\"}, {|", "entries[]", true, "", ""},
        {"a:\n  b:\n    c: 1\n  |\n", "a", true, "", ""},
        {"schema: x\r\nentries:\r\n  - name: y\r\n    replaces: |\r\n", "entries[].replaces", false, "",
         "name=y"},
        {"properties:\n  - {type: t, # {a: b\n     value: {a: |}}\n", "properties[].value.a", false, "", ""},
        {"|\n{\"a\": 1}", "", false, "", ""},
        {"{\"a\": 1}\n|", "", false, "", ""},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        std::string text = c.text;
        size_t at = text.find('|');
        if (at == text.npos)
            at = 0;
        else
            text.erase(at, 1);
        const CursorContext context = cursor_context(text, at);
        CHECK(context.field() == c.field);
        CHECK(context.is_key == c.is_key);
        REQUIRE(context.begin <= context.end);
        CHECK(text.substr(context.begin, context.end - context.begin) == c.typed);
        if (!c.sibling.empty()) {
            const size_t equals = c.sibling.find('=');
            CHECK(context.sibling(c.sibling.substr(0, equals)) == c.sibling.substr(equals + 1));
        }
    }
}

TEST_CASE("objects around the cursor are known up to the root") {
    const std::string text =
        "schema: olm.bundle\npackage: p\nproperties:\n  - type: olm.package\n    value:\n      version: \n";
    const CursorContext context = cursor_context(text, text.size() - 1);
    CHECK(context.sibling("type", 1) == "olm.package");
    CHECK(context.root("package") == "p");
    CHECK(context.root("schema") == "olm.bundle");
}
