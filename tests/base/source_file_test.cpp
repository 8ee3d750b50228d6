#include "base/source_file.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace opcat;

namespace {

std::string position(const SourceFile& file, size_t offset) {
    const Position at = file.position(static_cast<uint32_t>(offset));
    return fmt::format("{}:{}", at.line, at.column);
}

} // namespace

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

TEST_CASE("a byte order mark is no column") {
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

TEST_CASE("many positions in one very long line take no time to speak of") {
    const SourceFile file("f", std::string(20'000'000, 'x'));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 20'000; ++i) sum += file.position(20'000'000 - i).column;
    CHECK(sum > 0); // without an index this is 400 GB to look through
}

TEST_CASE("bytes are followed by zeros") {
    const SourceFile file("f", "abc");
    for (size_t i = 0; i < SourceFile::padding; ++i) REQUIRE(file.bytes().data()[3 + i] == 0);
}
