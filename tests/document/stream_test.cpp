#include "opcat/document/json_writer.hpp"
#include "opcat/document/stream.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace opcat;

namespace {

// The documents as they are read, "!" for each that cannot be; then "| rule LINE:COLUMN" of the cutting's
// problems.
std::string documents(const std::string& text) {
    const SourceFile file("f", text);
    Diagnostics problems;
    std::string result;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        Arena arena;
        Diagnostic problem;
        const auto value = read_document(file, range, arena, problem);
        if (!result.empty()) result += ' ';
        result += range.notation == Notation::json ? "json:" : "";
        if (value)
            append_compact_json(result, *value);
        else
            result += "!";
    }
    for (const Diagnostic& problem : problems) {
        const Position at = file.position(problem.where.offset);
        result += fmt::format("| {} {}:{}", problem.rule, at.line, at.column);
    }
    return result;
}

struct StreamCase {
    std::string text;
    std::string_view documents;
};

} // namespace

TEST_CASE("YAML is cut at lines that begin with ---") {
    const StreamCase cases[] = {
        {"", ""},
        {"\n", "null"},
        {"a: 1\n", R"({"a":1})"},
        {"---\na: 1\n---\nb: 2\n", R"({"a":1} {"b":2})"},
        {"--- # comment\na: 1\n", R"({"a":1})"},
        {"a: 1\r\n---\r\nb: 2\r\n", R"({"a":1} {"b":2})"},
        {"a: 1\n---\n---\nb: 2\n", R"({"a":1} {"b":2})"}, // the second one belongs to the document
        {"a: 1\n---\n", R"({"a":1})"},
        {"a: 1\n---", R"({"a":1})"},
        {"a: |\n  ---\n  x\n", R"({"a":"---\nx\n"})"},
        {"a: |\n  x\n---\nb: 2\n", R"({"a":"x\n"} {"b":2})"},
        {"a: 'x\n---\ny'\n", "! \"y'\""}, // cut before anything is parsed
        {"---\n---\na: 1\n", R"(null {"a":1})"},
        {"----\n", R"("----"| syntax 1:1)"},
        {"\xef\xbb\xbf---\na: 1\n---\nb: 2\n", R"({"a":1} {"b":2})"},
        {"[1]\n---\n{}\n", "[1] {}"},
        {"\xef\xbb\xbf{\"a\":1}\n---\n{}\n", R"({"a":1} {})"}, // not JSON after a byte order mark
        {"\xef\xbb\xbf{\"a\":1}\n{\"b\":2}\n", R"({"a":1})"},
    };
    for (const auto& [text, result] : cases) {
        CAPTURE(text);
        CHECK(documents(text) == result);
    }
}

TEST_CASE("a file that begins with { is a stream of JSON values") {
    const StreamCase cases[] = {
        {"{}", "json:{}"},
        {" \n\t{}{} {\"a\":1}\n", "json:{} json:{} json:{\"a\":1}"},
        {"{\"a\":\"}{\\\"\"} {}", "json:{\"a\":\"}{\\\"\"} json:{}"},
        {"{}\n[1]\n\"x\"\n", "json:{} json:[1] json:\"x\""},
        {"{}\n---\na: 1\n", "json:{} {\"a\":1}"},
        {"{}  \r\n---\na: 1\n", "json:{} {\"a\":1}"},
        {"{}\n\n---\na: 1\n", "json:{} null {\"a\":1}"}, // the empty line is a document
        {"{}\n  a: 1\n  b: 2\n", "json:{} {\"a\":1,\"b\":2}"},
        {"{}{}\n---\na: 1\n", "json:{} json:{} {\"a\":1}| syntax 2:1"},
        {"{a: 1}\n", "{\"a\":1}"}, // a flow mapping of YAML
        {"{} {a: 1}\n", "json:{} {\"a\":1}"},
        {"{\"a\": }", "{\"a\":null}"},
        {"{\"a\":1}\n{\"b\":2\n", "json:{\"a\":1} json:!"},
        {"{\"a\":1} x", "json:{\"a\":1} \"x\""},
    };
    for (const auto& [text, result] : cases) {
        CAPTURE(text);
        CHECK(documents(text) == result);
    }
}

TEST_CASE("only a comment may follow a separator on its line") {
    CHECK(documents("a: 1\n--- x\nb: 2\n").ends_with("| syntax 2:1"));
    CHECK(documents("a: 1\n---x\nb: 2\n").ends_with("| syntax 2:1"));
    CHECK(documents("a: 1\n---\t \r\nb: 2\n") == R"({"a":1} {"b":2})");
}

TEST_CASE("more than a million documents in one file are refused") {
    std::string text;
    for (int i = 0; i < 1'000'001; ++i) text += "{}";
    const SourceFile file("f", text);
    Diagnostics problems;
    CHECK(split_into_documents(file, problems).size() == 1'000'000);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].rule == "limit");
    CHECK(problems[0].where.offset == 2'000'000);
}

// bench/growth.py has these texts too (cut_texts), and fails if what they cost grows faster than they do.
TEST_CASE("a million equal pieces are cut where a few are") {
    const struct {
        std::string_view before, repeated, after;
        size_t documents;
    } cases[] = {
        {"{\"a\":\"", "\\\\", "\"}", 1},
        {"", "{", "", 1},
        {"{}", "\"\"", "", 2},
        {"a: 1\n", "----", "", 1},
        {"{}", "\"x\"\n", "", 1'000'000},
        {"{\"a\": '", "{{{{", "", 1},
    };
    for (const auto& c : cases) {
        CAPTURE(c.before);
        CAPTURE(c.repeated);
        std::string text(c.before);
        for (size_t i = 0; i < 1'000'000; ++i) text += c.repeated;
        const SourceFile file("f", text.append(c.after));
        Diagnostics problems;
        CHECK(split_into_documents(file, problems).size() == c.documents);
    }
}

TEST_CASE("an unreadable document is explained at the place of the cause") {
    struct {
        std::string path, text;
        std::string_view problem; // rule LINE:COLUMN+LENGTH message
    } const cases[] = {
        {"a.yaml", "a: b\n<<<<<<< HEAD\nc: d\n=======\nc: e\n>>>>>>> other\n",
         "syntax 2:1+7 a merge conflict is not resolved"},
        {"a.json", "{\"a\": 1,\n>>>>>>> other\n}", "syntax 2:1+7 a merge conflict is not resolved"},
        {"a.yaml", "a: b\nname:stable\nc: d\n", "syntax 2:5+1 a blank is missing after ':'"},
        {"a.yaml", "- name:a\n\n  # comment\n  replaces: b\n", "syntax 1:7+1 a blank is missing after ':'"},
        {"a.yaml", "a: http://b c: d\n", "syntax 1:4+13 a text that contains \": \" needs quotes"},
        {"a.yaml", "a: {{ .Values.b }}\n", "syntax 1:4+15 this is a template ({{ … }}), not YAML"},
        {"a.json", "{{- if .b }}\n{}\n{{ end }}", "syntax 1:1+12 this is a template ({{ … }}), not YAML"},
        {"a.yaml", "{% if a %}\nb: c\n{% endif %}\n", "syntax 1:1+10 this is a template ({% … %}), not YAML"},
        {"a.yaml", "a:\n \tb: c\n", "syntax 2:2+1 a tab is used for indentation"},
        {"a.yaml", "a:\n  b: c\n\td: e\n", "syntax 3:1+1 a tab is used for indentation"},
        {"a.yaml", "a:\u00a0b\nc: d\n", "syntax 1:3+2 this is a no-break space (U+00A0)"},
        {"a.yaml", "a: b\n\u200bc\nd: e\n", "syntax 2:1+3 this is a zero-width space (U+200B)"},
        {"c/a.png", "\x89PNG\r\n\x1a\n" + std::string(3, '\0'),
         "syntax 1:1+1 this is a binary file, not YAML or JSON"},
        {"a.yaml", std::string("a\0:\0 \0b\0", 8), "syntax 1:1+1 this file is encoded as UTF-16"},
        {"c/README.md", "# A\nb: c: d\n",
         "syntax 2:5+1 this file does not read as YAML or JSON: a key and ':' are not allowed here"},
        {"stdin", "b: c: d\n", "syntax 1:4+4 a text that contains \": \" needs quotes"},
        {"a.yaml", "a: b\nc: >=1.0.0 <2.0.0\n", "syntax 2:4+14 a text that begins with \">\" needs quotes"},
        {"a.yaml", "a: @b\n", "syntax 1:4+2 a text that begins with \"@\" needs quotes"},
        {"a.yaml", "a: 'b' c\n", "syntax 1:4+5 a text goes on after its closing quotes"},
        {"a.yaml", "a: b\n--\nc: d\n", "syntax 2:1+2 this line is not the separator of two documents"},
    };
    for (const auto& [path, text, expected] : cases) {
        CAPTURE(text);
        const SourceFile file(path, text);
        Diagnostics problems;
        const auto ranges = split_into_documents(file, problems);
        REQUIRE_FALSE(ranges.empty());
        Arena arena;
        Diagnostic problem;
        CHECK_FALSE(read_document(file, ranges.front(), arena, problem));
        const Position at = file.position(problem.where.offset);
        CHECK(fmt::format("{} {}:{}+{} {}", problem.rule, at.line, at.column, problem.where.length,
                          problem.message) == expected);
        const bool named_as_catalog = !path.starts_with("c/");
        CHECK((problem.help.find(".indexignore") == std::string::npos) == named_as_catalog);
    }
}

TEST_CASE("UTF-16 is reported: documents after the first are lost") {
    const auto read = [](std::string_view text) {
        std::string bytes = "\xfe\xff";
        for (const char c : text) bytes += {'\0', c};
        const SourceFile file("a.yaml", bytes);
        Diagnostics problems;
        Arena arena;
        Diagnostic problem;
        const auto value = read_document(file, split_into_documents(file, problems).front(), arena, problem);
        REQUIRE(value);
        CHECK(value->find("a"));
        return fmt::format("{} {}", to_string(problem.severity), problem.message);
    };
    CHECK(read("a: b\n") == "warning this file is encoded as UTF-16");
    CHECK(read("a: b\n---\na: c\n") ==
          "error this file is encoded as UTF-16, in which only the first document is read");
}
