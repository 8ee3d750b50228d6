// Covers lib/document/libyaml.cpp and lib/document/syntax_cause.cpp.
#include "reading.hpp"

#include <doctest/doctest.h>

using namespace opcat;

namespace {

void check_all(std::span<const ReadingCase> cases) {
    for (const auto& [text, result] : cases) {
        CAPTURE(text);
        CHECK(read_as_yaml(text)->result() == result);
    }
}

} // namespace

TEST_CASE("YAML values are read") {
    const ReadingCase cases[] = {
        {"", "null"},
        {"# only a comment\n", "null"},
        {"---\n", "null"},
        {"a: b", R"({"a":"b"})"},
        {"a:\n- 1\n- x: v\n  z:\n", R"({"a":[1,{"x":"v","z":null}]})"},
        {"{a: [1, 'two', \"three\"], b: {}}", R"({"a":[1,"two","three"],"b":{}})"},
        {"a: |\n  one\n  two\nb: >-\n  one\n  two\n", R"({"a":"one\ntwo\n","b":"one two"})"},
        {"a: |\n  the last line", R"({"a":"the last line\n"})"}, // which opm ends with a line break
        {"a: |+\n  one\n\n  ", R"({"a":"one\n\n\n"})"},
        {"a: one\n  two\n\n  three\n", R"({"a":"one two\nthree"})"},
        {"? complex\n: value\n", R"({"complex":"value"})"},
        {"a: \"\\x41\\u00e9\\U0001F600\\e\\0\"\n", R"({"a":"Aé😀\u001b\u0000"})"},
        {"a: 'it''s'\n", R"({"a":"it's"})"},
        {"\xef\xbb\xbf"
         "a: b\n",
         R"({"a":"b"})"},
        {"a: b\r\nc: d\r\n", R"({"a":"b","c":"d"})"},
        {"%YAML 1.1\n---\na: b\n", R"({"a":"b"})"},
        {"a: b\n---\nc: d\n", R"({"a":"b"})"}, // the first document only
        {"a: b\n...\nrest", R"({"a":"b"})"},
    };
    check_all(cases);
}

TEST_CASE("tags and quotes decide what a scalar is") {
    const ReadingCase cases[] = {
        {"[y, \"y\", 'n', !!str y, !!str, ! y]", R"([true,"y","n","y","","y"])"},
        {"[!!int 0x10, !!float 1, !!bool y, !!null '']", "[16,1,true,null]"},
        {"!!binary aGVsbG8=", "\"hello\""},
        {"!!binary /w==", "\"\uFFFD\""},
        {"!custom x", "\"x\""},
        {"[!!nope 1, !!seq 2]", R"(["1","2"])"},
        {"!!timestamp x", "1:1: 'x' is not a value for the tag !!timestamp"},
        {"!!int x", "1:1: 'x' is not a value for the tag !!int"},
        {"!!binary '@'", "1:1: this is not base64, which the tag !!binary asks for"},
    };
    check_all(cases);
}

TEST_CASE("keys become strings, and some cannot be keys") {
    const ReadingCase cases[] = {
        {"{1: a, true: b, y: c, 0x10: d, 1.5: e, '2': f, 1_0: g}",
         R"({"1":"a","true":"b","true":"c","16":"d","1.5":"e","2":"f","10":"g"})"},
        {"{.inf: a, -.inf: b, .nan: c}", R"({".inf":"a","-.inf":"b",".nan":"c"})"},
        {"{1e300: a, -1e300: b}", R"({".inf":"a","-.inf":"b"})"},
        {"? [a]\n: b", "1:3: a list cannot be a key"},
        {"? {a: b}\n: b", "1:3: an object cannot be a key"},
        {"~: a", "1:1: null cannot be a key"},
        {": a", "1:1: a key was expected here"},
        {"18446744073709551615: a", "1:1: a number this large cannot be a key"},
    };
    check_all(cases);
}

TEST_CASE("merge keys and aliases are resolved") {
    const ReadingCase cases[] = {
        {"a: &x {p: 1}\nb: *x\n", R"({"a":{"p":1},"b":{"p":1}})"},
        {"a: &x one\n*x : two\n", R"({"a":"one","one":"two"})"},
        {"a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n", R"({"a":{"p":1,"q":2},"b":{"p":1,"q":2,"q":3}})"},
        {"a: &x {p: 1}\nb: &y {p: 2}\nc: {<<: [*x, *y]}\n", R"({"a":{"p":1},"b":{"p":2},"c":{"p":2,"p":1}})"},
        {"a: &x [{p: 1}]\nb: {<<: *x}\n", "2:9: '<<' merges objects, and *x is not an object"},
        {"'<<': 1", R"({"<<":1})"},
        {"<<: 1", "1:5: '<<' merges objects: its value must be an object or a list of objects"},
        {"<<: [1]", "1:6: '<<' merges objects: its value must be an object or a list of objects"},
        {"a: *x", "1:4: the alias *x has no anchor &x before it"},
        {"a: &x [*x]", "1:8: the alias *x is inside the node that it names"},
        {"a: &x 1\nb: &x 2\nc: *x", R"({"a":1,"b":2,"c":2})"},
    };
    check_all(cases);
}

TEST_CASE("infinity and not-a-number are errors, except as keys") {
    const ReadingCase cases[] = {
        {"a: .inf", "1:4: infinity and not-a-number cannot be written as JSON, which catalogs are"},
        {"[1, .nan]", "1:5: infinity and not-a-number cannot be written as JSON, which catalogs are"},
        {"-.inf", "1:1: infinity and not-a-number cannot be written as JSON, which catalogs are"},
    };
    check_all(cases);
}

TEST_CASE("errors in YAML have their exact place and a remedy") {
    const ReadingCase cases[] = {
        {"a: b: c\n", "1:5: a key and ':' are not allowed here"},
        {"é: ü: c\n", "1:5: a key and ':' are not allowed here"},
        {"\xef\xbb\xbf"
         "a: b: c\n",
         "1:5: a key and ':' are not allowed here"},
        {"a: b\r\nc: d: e\r\n", "2:5: a key and ':' are not allowed here"},
        {"a: b\nc\nd: e\n", "2:1: a key without ':'"},
        {"a:\n\tb: c\n", "2:1: a tab cannot be used for indentation"},
        {"a: @b\n", "1:4: '@' cannot begin a plain text"},
        {"a: 'b\nc: d\n", "1:4: the document ends inside of a quoted text"},
        {"a: [b?c]\n", "1:5: YAML 1.1 does not allow '?' in text without quotes between brackets"},
        {"{u: http://x/?q=1}\n", "1:5: YAML 1.1 does not allow '?' in text without quotes between brackets"},
        {"a: {b: c\n", "2:1: ',' or '}' was expected here"},
        {"a: [b, c\nd: e", "2:2: ',' or ']' was expected here"},
        {"a: \"\\q\"\n", "1:5: an escape that YAML does not know"},
        {"a: \"\\/\"\n", "1:5: '\\/' is not an escape in YAML 1.1"},
        {"a: - b\n", "1:4: a list item ('- ') is not allowed here"},
        {"a: !x!y z\n", "1:4: a tag whose prefix is not defined"},
        {"a:\n  b: c\n d: e\n", "3:2: a key was expected here"},
        {"a:\n- b\nc\n", "3:1: a key without ':'"},
        {"a: \x01\n", "1:4: a control character, which YAML does not allow"},
        {"a: \xff\n", "1:4: this is not UTF-8 (invalid leading UTF-8 octet)"},
        {"%YAML 1.2\n---\na: b\n", "1:1: only YAML 1.1 is understood"},
    };
    check_all(cases);
}

TEST_CASE("text that opm's YAML accepts and libyaml refuses is read, with correct places") {
    const ReadingCase cases[] = {
        {"{b:}", R"({"b:":null})"},
        {"[a:, b::]", R"(["a:","b::"])"},
        {"{b:[]}", "1:4: ',' or '}' was expected here"},
        {"a: [\"it\\'s\", \"\\'\\'\\\\\", '\\']\n", R"({"a":["it's","''\\","\\"]})"},
        {"a: \"it\\'s\"\r\nb: 'x\\'\r\n", R"({"a":"it's","b":"x\\"})"},
        {"a: {b:, c: \"\\'\", \"d\\'\": }", R"({"a":{"b:":null,"c":"'","d'":null}})"},
        {"[\"\\'\", a:, é\xef\xbb\xbf, @]", "1:16: '@' cannot begin a plain text"},
        {"[\"\\'\", a:, \x01]", "1:12: a control character, which YAML does not allow"},
        {"[\"\\'\\q\"]", "1:5: an escape that YAML does not know"},
        {"{\xee\x80\x80\xee\x80\x82:}", "{\"\xee\x80\x80\xee\x80\x82:\":null}"}, // U+E000 as itself
        {"a: b\n\xef\xbb\xbf", "2:1: a key without ':'"},
        {"a: b\n\xef\xbb\xbf"
         "c: d\xef\xbb\xbf\n",
         "{\"a\":\"b\",\"\xef\xbb\xbf"
         "c\":\"d\xef\xbb\xbf\"}"},
    };
    check_all(cases);
}

TEST_CASE("a byte that YAML does not allow has its place, long after text that libyaml refuses") {
    const std::string text = "a: \"\\'\"\nb: " + std::string(100'000, 'x') + "\x01\n";
    CHECK(read_as_yaml(text)->result() == "2:100004: a control character, which YAML does not allow");
}

TEST_CASE("YAML with too many such places is refused") {
    std::string colons = "[" + std::string(1'000'000, 'x');
    std::string escapes = "[";
    for (int i = 0; i < 10'000; ++i) colons += ", a:";
    for (int i = 0; i < 1'000; ++i) escapes += ", \"\\'\"";
    CHECK(read_as_yaml(colons + "]")->good);
    CHECK_FALSE(read_as_yaml("[x" + escapes.substr(1) + "]")->good);
    CHECK(read_as_yaml("[x" + escapes.substr(1, 7 * 50) + "]")->good);
    std::string many = "[\"";
    for (int i = 0; i < 200'000; ++i) many += "\\'";
    CHECK_FALSE(read_as_yaml(many + "\"]")->good);
    std::string marks = "[x";
    for (int i = 0; i < 1'000'000; ++i) marks += "\xef\xbb\xbf";
    CHECK(read_as_yaml(marks + "]")->good);
}

TEST_CASE("every node of YAML knows its place") {
    const std::string_view texts[] = {
        "ключ: [\"x\", 'y']\nlist:\n  - plain\n  - |\n    literal\nmap:\n  é: {z: -1}\n",
        "\xef\xbb\xbfключ: [\"x\", 'y']\r\nlist:\r\n  - plain\r\n  - |\r\n    literal\r\nmap:\r\n  é: {z: "
        "-1}\r\n",
    };
    for (const std::string_view text : texts) {
        const auto read = read_as_yaml(text);
        REQUIRE(read->good);
        const auto members = read->value.members();
        CHECK(members[0].key.offset() == text.find("ключ"));
        CHECK(members[0].value.offset() == text.find('['));
        CHECK(members[0].value.items()[0].offset() == text.find("\"x"));
        CHECK(members[0].value.items()[1].offset() == text.find("'y"));
        CHECK(members[1].value.offset() == text.find("- plain"));
        CHECK(members[1].value.items()[0].offset() == text.find("plain"));
        CHECK(members[1].value.items()[1].offset() == text.find('|'));
        CHECK(members[2].value.offset() == text.find("é"));
        CHECK(members[2].value.members()[0].key.offset() == text.find("é"));
        CHECK(members[2].value.members()[0].value.find("z")->offset() == text.find("-1"));
    }
}

TEST_CASE("offsets count from the beginning of the file, wherever the document begins") {
    const SourceFile file("f", "é: 1\n---\nü: two\n");
    Arena arena;
    Diagnostic problem;
    const uint32_t begin = 10;
    const auto value = read_yaml(file, begin, static_cast<uint32_t>(file.bytes().size()), arena, problem);
    REQUIRE(value);
    CHECK(value->find("ü")->offset() == file.bytes().find("two"));
}

TEST_CASE("YAML may be nested 1,000 levels deep, and not one more") {
    const auto flow = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    CHECK(read_as_yaml(flow(1'000))->good);
    CHECK(read_as_yaml(flow(1'001))->result() == "1:1001: nested more than 1000 levels deep [limit]");
    std::string block;
    for (int i = 0; i < 1'001; ++i) block += "- ";
    CHECK(read_as_yaml(block)->result() == "1:2001: nested more than 1000 levels deep [limit]");
}

TEST_CASE("aliases that grow exponentially are refused before they are followed") {
    std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 10; ++i) {
        laughs += fmt::format("a{0}: &a{0} [", i);
        for (int k = 0; k < 10; ++k) laughs += fmt::format("{}*a{}", k ? "," : "", i - 1);
        laughs += "]\n";
    }
    CHECK(read_as_yaml(laughs)->result().ends_with("aliases make this document excessively large [limit]"));
    std::string merges = "a0: &a0 {k0: 1, k1: 2}\n";
    for (int i = 1; i < 40; ++i)
        merges += fmt::format("a{0}: &a{0} {{<<: [*a{1}, *a{1}], k{0}: 1}}\n", i, i - 1);
    CHECK(read_as_yaml(merges)->result().ends_with("aliases make this document excessively large [limit]"));
}

TEST_CASE("aliases cannot nest deeper than opm's JSON reader goes") {
    std::string text = "a0: &a0 x\n";
    for (int i = 1; i <= 12; ++i)
        text +=
            fmt::format("a{}: &a{} {}*a{}{}\n", i, i, std::string(900, '['), i - 1, std::string(900, ']'));
    CHECK(read_as_yaml(text)->result() == "13:911: aliases nest more than 10000 levels deep [limit]");
}

TEST_CASE("a few aliases of something large are not a bomb") {
    std::string text = "base: &b\n";
    for (int i = 0; i < 5'000; ++i) text += fmt::format("  k{}: v\n", i);
    text += "again: [*b, *b, *b]\n";
    CHECK(read_as_yaml(text)->good);
}

TEST_CASE("scalars that are in the file as they are read are not copied") {
    const auto read = read_as_yaml("a: plain text\nb: 'quoted é'\nc: \"x\"\n");
    for (const Member& member : read->value.members()) {
        const char* const at = member.value.string().data();
        CHECK(at > read->file.bytes().data());
        CHECK(at < read->file.bytes().data() + read->file.bytes().size());
    }
}
