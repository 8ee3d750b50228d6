#include "document/json_writer.hpp"
#include "document/stream.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <chrono>

using namespace opcat;

namespace {

// The documents as they are read, "!" for each that cannot be; then "| rule LINE:COLUMN" of the cutting's
// problems.
std::string documents(const std::string& text) {
    const SourceFile file("f", text);
    Diagnostics problems;
    std::string result;
    for (const DocumentRange& range : cut_into_documents(file, problems)) {
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
        {"\xef\xbb\xbf{\"a\":1}\n---\n{}\n", R"({"a":1} {})"}, // no JSON behind a byte order mark
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
    CHECK(cut_into_documents(file, problems).size() == 1'000'000);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].rule == "limit");
    CHECK(problems[0].where.offset == 2'000'000);
}

TEST_CASE("cutting is linear whatever the text holds") {
    const auto start = std::chrono::steady_clock::now();
    const std::string hostile[] = {
        "{\"a\":\"" + std::string(4'000'000, '\\') + "\"}",
        std::string(4'000'000, '{'),
        "{}" + std::string(4'000'000, '"'),
        "a: 1\n" + std::string(4'000'000, '-'),
        "{}" +
            [] {
                std::string text;
                for (int i = 0; i < 1'000'000; ++i) text += "\"x\"\n";
                return text;
            }(),
        "{\"a\": '" + std::string(4'000'000, '{'),
    };
    for (const std::string& text : hostile) {
        const SourceFile file("f", text);
        Diagnostics problems;
        cut_into_documents(file, problems);
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}
