#include "opcat/base/diagnostic.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>

using namespace opcat;

namespace {

Diagnostic at(const SourceFile& file, std::string_view what, uint32_t length = 0) {
    return {.rule = "some-rule",
            .message = "something is wrong",
            .where = {&file, static_cast<uint32_t>(file.bytes().find(what)),
                      length ? length : static_cast<uint32_t>(what.size())},
            .notes = {},
            .help = {}};
}

} // namespace

TEST_CASE("a finding is shown with its line, its range, notes and help") {
    const SourceFile file("dir/f.yaml", "first\n- name: foo.v0.3.0\n");
    Diagnostic d = at(file, "foo.v0.3.0");
    d.notes.push_back({"the first one is", {&file, 0, 5}});
    d.notes.push_back({"without a place", {}});
    d.help = "do something else";
    CHECK(to_text(d, {}) == "dir/f.yaml:2:9: error: something is wrong [some-rule]\n"
                            "    2 | - name: foo.v0.3.0\n"
                            "      |         ^~~~~~~~~~\n"
                            "  note: the first one is at dir/f.yaml:1:1\n"
                            "  note: without a place\n"
                            "  help: do something else\n");
}

TEST_CASE("a finding without a place is one line") {
    const Diagnostic d{
        .severity = Severity::warning, .rule = "r", .message = "m", .where = {}, .notes = {}, .help = {}};
    CHECK(to_text(d, {}) == "warning: m [r]\n");
}

TEST_CASE("the mark is below its text whatever the width of the characters before it") {
    const struct {
        std::string_view line, what, shown;
    } cases[] = {
        {"\ta: x", "x", "    1 |  a: x\n      |     ^\n"},      // a tab is one column
        {"操作: x", "x", "    1 | 操作: x\n      |       ^\n"}, // wide characters are two
        {"a: 操作", "操作", "    1 | a: 操作\n      |    ^~~~\n"},
        {"e\u0301: x", "x", "    1 | e\u0301: x\n      |    ^\n"},        // combining ones have no width
        {"a\x1b[31m: x", "x", "    1 | a?[31m: x\n      |         ^\n"},  // control characters are escaped
        {"a\xc2\x9b\x33m: x", "x", "    1 | a?3m: x\n      |       ^\n"}, // also those of eight bits
        {"\xff\xfe: x", "x", "    1 | ??: x\n      |     ^\n"},           // no UTF-8
    };
    for (const auto& [line, what, shown] : cases) {
        CAPTURE(line);
        const SourceFile file("f", std::string(line) + "\nmore\n");
        const std::string text = to_text(at(file, what), {});
        CHECK(text.substr(text.find('\n') + 1) == shown);
    }
}

TEST_CASE("a range that goes beyond its line is marked to the end of the line") {
    const SourceFile file("f", "abc\r\ndef\n");
    const std::string text = to_text(at(file, "bc", 100), {});
    CHECK(text.ends_with("    1 | abc\n      |  ^~\n"));
}

TEST_CASE("a place at a line break or the end of the file is marked after the line") {
    const SourceFile file("f", "abc\r\ndef");
    CHECK(to_text(at(file, "\r"), {}).ends_with("    1 | abc\n      |    ^\n"));
    CHECK(to_text(at(file, "\n"), {}).ends_with("    1 | abc\n      |    ^\n"));
    Diagnostic end = at(file, "d");
    end.where.offset = 8;
    CHECK(to_text(end, {}).ends_with("    2 | def\n      |    ^\n"));
}

TEST_CASE("messages are wrapped at the width of the terminal") {
    const SourceFile file("f", "abc");
    Diagnostic finding = at(file, "b");
    finding.message = "something is wrong that takes more than one line to tell";
    finding.notes.push_back({"and there is more to say about it", at(file, "a").where});
    finding.help = "look at it again, and then once more";
    CHECK(to_text(finding, {.colour = false, .width = 40}) == "f:1:2: error: something is wrong that\n"
                                                              "        takes more than one line to tell\n"
                                                              "        [some-rule]\n"
                                                              "    1 | abc\n"
                                                              "      |  ^\n"
                                                              "  note: and there is more to say about\n"
                                                              "        it at f:1:1\n"
                                                              "  help: look at it again, and then once\n"
                                                              "        more\n");
    for (const unsigned width : {1U, 41U, 79U, 300U}) {
        std::string text = to_text(finding, {.colour = false, .width = width});
        CHECK(text.find("error: something") != text.npos);
    }
}

TEST_CASE("a long line is cut around the mark") {
    const std::string line = std::string(100, 'a') + "MARK" + std::string(100, 'b');
    const SourceFile file("f", line);
    CHECK(to_text(at(file, "MARK"), {.colour = false, .width = 38}) ==
          "f:1:101: error: something is wrong\n"
          "        [some-rule]\n"
          "    1 | aaaaaaaaaaMARKbbbbbbbbbbbbbbbb\n"
          "      |           ^~~~\n");
    const std::string text = to_text(at(file, "aaaa"), {.colour = false, .width = 38});
    CHECK(text.ends_with("    1 | " + std::string(30, 'a') + "\n      | ^~~~\n"));
    // The end of the line stays at the right.
    const SourceFile short_tail("f", std::string(100, 'a') + "END");
    CHECK(
        to_text(at(short_tail, "END"), {.colour = false, .width = 38})
            .ends_with("    1 | " + std::string(27, 'a') + "END\n      | " + std::string(27, ' ') + "^~~\n"));
}

TEST_CASE("a long line is cut at the same columns however many bytes its characters have") {
    const auto repeat = [](std::string_view character, int times) {
        std::string text;
        for (int i = 0; i < times; ++i) text += character;
        return text;
    };
    for (const std::string_view character : {"a", "é", "語", "𐍈"}) {
        CAPTURE(character);
        const int columns = character == "語" ? 2 : 1;
        const SourceFile file("f", repeat(character, 100) + "MARK" + repeat(character, 100));
        CHECK(to_text(at(file, "MARK"), {.colour = false, .width = 38})
                  .ends_with("    1 | " + repeat(character, 10 / columns) + "MARK" +
                             repeat(character, 16 / columns) + "\n      | " + std::string(10, ' ') +
                             "^~~~\n"));
        // Far from the mark only.
        const SourceFile far("f", repeat(character, 100) + std::string(20, 'x') + "MARK" +
                                      std::string(20, 'x') + repeat(character, 100));
        CHECK(to_text(at(far, "MARK"), {.colour = false, .width = 38})
                  .ends_with("    1 | " + std::string(10, 'x') + "MARK" + std::string(16, 'x') +
                             "\n      | " + std::string(10, ' ') + "^~~~\n"));
    }
}

TEST_CASE("wide characters count twice when a line is cut") {
    std::string line;
    for (int i = 0; i < 50; ++i) line += "操";
    line += "x";
    const SourceFile file("f", line);
    std::string shown;
    for (int i = 0; i < 14; ++i) shown += "操";
    CHECK(to_text(at(file, "x"), {.colour = false, .width = 38}).find("    1 | " + shown + "x\n") !=
          std::string::npos);
}

TEST_CASE("a line of megabytes is quoted in part even if the width of the terminal is unknown") {
    const SourceFile file("f", std::string(5'000'000, 'a') + "MARK" + std::string(5'000'000, 'b'));
    CHECK(to_text(at(file, "MARK"), {}).size() < 2000);
}

TEST_CASE("colours are reset at the end of what they colour") {
    const SourceFile file("f", "abc");
    CHECK(to_text(at(file, "b"), {.colour = true, .width = 0}) ==
          "\x1b[1mf:1:2:\x1b[0m \x1b[1;31merror:\x1b[0m \x1b[1msomething is wrong\x1b[0m [some-rule]\n"
          "    1 | abc\n"
          "      |  \x1b[1;32m^\x1b[0m\n");
}

TEST_CASE("messages and names cannot control the terminal") {
    const SourceFile file("f\x1b[2J", "abc");
    Diagnostic d = at(file, "b");
    d.message = "name \"\x1b]0;owned\a\"";
    const std::string text = to_text(d, {});
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.starts_with("f\\x1b[2J:1:2: error: name \"\\x1b]0;owned\\x07\" [some-rule]\n"));
}

TEST_CASE("findings are sorted by file, place and severity, those without a place first") {
    const SourceFile a("a", "123");
    const SourceFile b("b", "123");
    const auto make = [](const SourceFile* file, uint32_t offset, Severity severity, std::string message) {
        return Diagnostic{.severity = severity,
                          .rule = "r",
                          .message = std::move(message),
                          .where = {file, offset, 1},
                          .notes = {},
                          .help = {}};
    };
    Diagnostics all{make(&b, 0, Severity::error, "5"), make(&a, 2, Severity::warning, "4"),
                    make(&a, 2, Severity::error, "3"), make(&a, 1, Severity::note, "2"),
                    make(nullptr, 0, Severity::error, "1")};
    sort_by_place(all);
    std::string order;
    for (const Diagnostic& d : all) order += d.message;
    CHECK(order == "12345");
}

namespace {

std::string position(const SourceFile& file, size_t offset) {
    const Position at = file.position(static_cast<uint32_t>(offset));
    return fmt::format("{}:{}", at.line, at.column);
}

} // namespace

TEST_CASE("of many findings of a rule in a file the first ones are kept and the others counted") {
    const SourceFile a("a", "text");
    const SourceFile b("b", "text");
    constexpr size_t many = 20 * Diagnostics::most;
    Diagnostics all;
    size_t largest = 0;
    for (size_t i = 0; i < many; ++i) {
        Diagnostic one = at(a, "text");
        one.message = fmt::format("{}", i);
        all.push_back(one);
        if (i % 2 == 0) {
            one.severity = Severity::warning;
            all.push_back(one);
        }
        if (i < 10) {
            one.where.file = &b;
            all.push_back(one);
        }
        largest = std::max(largest, all.size());
    }
    CHECK(largest <= 10 * Diagnostics::most); // also while they are collected
    CHECK(all.added() == many + many / 2 + 10);
    sort_by_place(all);
    CHECK(all.total() == many + many / 2 + 10);
    CHECK(all.size() == 2 * (Diagnostics::most + 1) + 10);
    size_t rests = 0;
    size_t kept = 0;
    for (const Diagnostic& one : all) {
        if (one.is_rest) {
            ++rests;
            const size_t left = one.severity == Severity::error ? many : many / 2;
            CHECK(one.count == left - Diagnostics::most);
            CHECK(one.message ==
                  fmt::format("and {} more findings of this rule in this file", left - Diagnostics::most));
        } else if (one.severity == Severity::error && one.where.file == &a) {
            CHECK(one.message == fmt::format("{}", kept++));
        }
    }
    CHECK(rests == 2);
    const Diagnostics before = all;
    all.bound();
    CHECK(all.size() == before.size());
    all.append(before);
    all.bound();
    CHECK(all.total() == 2 * before.total());
}

TEST_CASE("the texts of a finding have a limit, at the end of a character") {
    const SourceFile file("a", "text");
    Diagnostic one = at(file, "text");
    one.message.clear();
    while (one.message.size() < 5 * Diagnostics::longest) one.message += "\u20ac";
    one.notes.push_back({one.message, {}});
    one.help = one.message;
    Diagnostics all;
    all.push_back(one);
    for (const std::string& text : {all[0].message, all[0].help, all[0].notes[0].message}) {
        CHECK(text.size() ==
              Diagnostics::longest - 1 + std::string_view("…").size()); // 333 characters of 3 bytes
        CHECK(text.ends_with("\u20ac…"));
    }
}

TEST_CASE("lines and columns count from 1, columns in code points") {
    const std::string text = "ab\n\xc3\xa9\xe6\x93\x8d\xf0\x9f\x98\x80x\r\n\nlast";
    const SourceFile file("f", text);
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"ab", "1:1"},   {"b", "1:2"}, {"\n", "1:3"},   {"\xc3", "2:1"},
        {"\xe6", "2:2"}, {"x", "2:4"}, {"last", "4:1"},
    };
    for (const auto& [what, where] : cases) {
        CAPTURE(what);
        CHECK(position(file, text.find(what)) == where);
    }
    CHECK(position(file, text.size()) == "4:5");
    CHECK(position(file, text.size() + 100) == "4:5");
}

TEST_CASE("a line is given without its line break") {
    const SourceFile file("f", "one\r\ntwo\n\nfour");
    CHECK(file.line(1) == "one");
    CHECK(file.line(2) == "two");
    CHECK(file.line(3).empty());
    CHECK(file.line(4) == "four");
    CHECK(file.line(0).empty());
    CHECK(file.line(5).empty());
}

TEST_CASE("a byte order mark is not a column") {
    const SourceFile file("f", "\xef\xbb\xbf"
                               "abc\nde");
    CHECK(position(file, 0) == "1:1");
    CHECK(position(file, 3) == "1:1");
    CHECK(position(file, 5) == "1:3");
    CHECK(position(file, 8) == "2:2");
}

TEST_CASE("an empty file has a first line") {
    const SourceFile file("f", "");
    CHECK(position(file, 0) == "1:1");
    CHECK(file.line(1).empty());
}

TEST_CASE("columns are right far into a line of many bytes") {
    std::string text = "first\n";
    for (int i = 0; i < 20'000; ++i) text += i % 3 == 0 ? "\xc3\xa9" : "a";
    const SourceFile file("f", text);
    size_t column = 1;
    for (size_t at = 6; at < text.size(); ++at) {
        if ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) continue;
        if (at % 97 == 0) REQUIRE(position(file, at) == fmt::format("2:{}", column));
        ++column;
    }
}

TEST_CASE("lines of all lengths are where they are") {
    std::string text;
    for (size_t i = 0; i < 300; ++i) text += std::string(i * i % 1009, 'x') + '\n';
    text += "end";
    const SourceFile file("f", text);
    size_t begin = 0;
    for (uint32_t number = 1; number <= 301; ++number) {
        CAPTURE(number);
        const size_t end = std::min(text.find('\n', begin), text.size());
        REQUIRE(file.line(number) == std::string_view(text).substr(begin, end - begin));
        REQUIRE(position(file, begin) == fmt::format("{}:1", number));
        REQUIRE(position(file, end) == fmt::format("{}:{}", number, end - begin + 1));
        begin = end + 1;
    }
    CHECK(file.line(302).empty());
}

TEST_CASE("many positions in one very long line are found in time") {
    const SourceFile file("f", std::string(20'000'000, 'x'));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 20'000; ++i) sum += file.position(20'000'000 - i).column;
    CHECK(sum > 0); // without an index this is 400 GB to look through
}

TEST_CASE("bytes are followed by zeros") {
    const SourceFile file("f", "abc");
    for (size_t i = 0; i < SourceFile::padding; ++i) REQUIRE(file.bytes().data()[3 + i] == 0);
}
