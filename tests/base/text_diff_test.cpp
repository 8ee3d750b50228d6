#include "opcat/base/text_diff.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <charconv>
#include <random>
#include <vector>

using namespace opcat;

namespace {

// The new text, made of the old one and a difference in the form of `diff -u`.
std::string patched(const std::string& before, std::string_view diff) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < before.size();) {
        const size_t end = std::min(before.find('\n', at), before.size() - 1) + 1;
        lines.push_back(before.substr(at, end - at));
        at = end;
    }
    std::string out;
    size_t next = 0;
    const auto number_at = [&](size_t at) {
        size_t number = 0;
        std::from_chars(diff.data() + at, diff.data() + diff.size(), number);
        return number;
    };
    for (size_t at = diff.find("@@"); at < diff.size();) {
        const size_t end = std::min(diff.find('\n', at), diff.size() - 1) + 1;
        const std::string_view line = diff.substr(at, end - at);
        if (line.starts_with("@@ -")) {
            const size_t comma = line.find_first_of(", ", 4);
            const bool is_empty = line.substr(comma).starts_with(",0 ");
            const size_t first = number_at(at + 4) - (is_empty ? 0 : 1);
            for (; next < first; ++next) out += lines[next];
        } else if (line.starts_with(" ") || line.starts_with("-")) {
            if (line.starts_with(" ")) out += lines[next];
            ++next;
        } else if (line.starts_with("+")) {
            out += line.substr(1);
        } else if (line.starts_with("\\") && out.ends_with('\n') && next == lines.size()) {
            out.pop_back();
        }
        at = end;
    }
    for (; next < lines.size(); ++next) out += lines[next];
    return out;
}

} // namespace

TEST_CASE("differences are shown as diff -u shows them") {
    CHECK(unified_diff("f", "a\n", "a\n").empty());
    CHECK(unified_diff("f", "", "a\n") == "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
    CHECK(unified_diff("f", "a\n", "") == "--- f\n+++ f\n@@ -1 +0,0 @@\n-a\n");
    CHECK(unified_diff("f", "a\nb", "a\nb\n") ==
          "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
    CHECK(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n") ==
          "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
    std::string before;
    for (int i = 1; i <= 20; ++i) before += fmt::format("{}\n", i);
    std::string after = before;
    after.replace(after.find("3\n"), 2, "x\n");
    after.replace(after.find("18\n"), 3, "y\nz\n");
    CHECK(unified_diff("f", before, after) ==
          "--- f\n+++ f\n@@ -1,6 +1,6 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n@@ -15,6 +15,7 @@\n 15\n 16\n 17\n-18\n"
          "+y\n+z\n 19\n 20\n");
}

TEST_CASE("a difference turns one text into the other") {
    std::mt19937 random(7);
    const auto text = [&](size_t lines) {
        std::string result;
        for (size_t i = 0; i < lines; ++i) result += fmt::format("{}\n", random() % 6);
        return result;
    };
    for (int round = 0; round < 300; ++round) {
        const std::string before = text(random() % 30);
        const std::string after = text(random() % 30);
        const std::string diff = unified_diff("f", before, after);
        CAPTURE(diff);
        CHECK(patched(before, diff) == after);
    }
}

TEST_CASE("texts that have nothing in common are shown one after the other") {
    std::string before;
    std::string after;
    for (int i = 0; i < 2'000; ++i) {
        before += fmt::format("a{}\n", i);
        after += fmt::format("b{}\n", i);
    }
    CHECK(patched(before, unified_diff("f", before, after)) == after);
}
