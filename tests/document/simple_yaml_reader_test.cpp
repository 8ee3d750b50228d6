// Covers lib/document/simple_yaml_scalars.cpp and lib/document/source_lines.cpp.
#include "opcat/base/file.hpp"
#include "opcat/document/simple_yaml_reader.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/yaml_reader.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

using namespace opcat;

namespace {

// Where two trees differ, as a path; empty if they do not.
std::string difference(const Value& a, const Value& b, const std::string& path = "$") {
    if (a.kind() != b.kind() || a.offset() != b.offset()) return path;
    switch (a.kind()) {
    case Value::Kind::null:
        return {};
    case Value::Kind::boolean:
        return a.boolean() == b.boolean() ? "" : path;
    case Value::Kind::integer:
        return a.integer() == b.integer() ? "" : path;
    case Value::Kind::large_integer:
        return a.large_integer() == b.large_integer() ? "" : path;
    case Value::Kind::real:
        return a.real() == b.real() ? "" : path;
    case Value::Kind::string:
        return a.string() == b.string() ? "" : path;
    case Value::Kind::array:
        if (a.items().size() != b.items().size()) return path;
        for (size_t i = 0; i < a.items().size(); ++i)
            if (auto d = difference(a.items()[i], b.items()[i], path + "[" + std::to_string(i) + "]");
                !d.empty())
                return d;
        return {};
    case Value::Kind::object:
        if (a.members().size() != b.members().size()) return path;
        for (size_t i = 0; i < a.members().size(); ++i) {
            const Member& m = a.members()[i];
            const Member& n = b.members()[i];
            if (auto d = difference(m.key, n.key, path + ".(key " + std::string(m.key.string()) + ")");
                !d.empty())
                return d;
            if (auto d = difference(m.value, n.value, path + "." + std::string(m.key.string())); !d.empty())
                return d;
        }
        return {};
    }
    return path;
}

struct Counts {
    size_t documents = 0;
    size_t simple = 0;
};

void compare(const SourceFile& file, const DocumentRange& range, Counts& counts) {
    Arena arena;
    Diagnostic problem;
    ++counts.documents;
    const auto simple = read_simple_yaml(file, range.begin, range.end, arena);
    if (!simple) return;
    ++counts.simple;
    const auto full = read_yaml(file, range.begin, range.end, arena, problem);
    INFO(file.path(), " at byte ", range.begin, ": ", problem.message);
    REQUIRE(full);
    CHECK(difference(*simple, *full) == "");
}

// Read by libyaml, because of an anchor at the end of the document.
std::vector<uint32_t> comments_by_libyaml(std::string text) {
    const size_t size = text.size();
    text += "\nfull: &parser x\n";
    const SourceFile file("text", text);
    std::vector<uint32_t> offsets;
    for (const Location& comment : find_yaml_comments(file))
        if (comment.offset < size) offsets.push_back(comment.offset);
    return offsets;
}

Counts compare_text(const std::string& text) {
    const SourceFile file("text", text);
    Counts counts;
    compare(file, {0, static_cast<uint32_t>(text.size()), Notation::yaml}, counts);
    return counts;
}

} // namespace

TEST_CASE("the simple reader accepts the YAML of usual catalogs") {
    const std::string documents[] = {
        "a: b\n",
        "---\na: b\n",
        "# comment\n\na: b # comment\n# comment\n",
        "a:\n  b: 1\n  c:\n  - x\n  - w: 1\n    z: 2\n  -\n    q: r\nd: true\n",
        "a:\n- 1\n- - 2\n  - 3\n-\nb:\n",
        "a: \"x\\ty\\u00e9\\U0001F600\"\nb: 'it''s'\nc: \"one\n  two\n\n  three\"\nd: 'one\n  two'\n",
        "a: |\n  l1\n   l2\n\n  l3\nb: |-\n  x\nc: |+\n  x\n\n\nd: |2\n    two\ne: x\n",
        "a: |\n",
        "a:\n  b: |+\n\n\n",
        "a: one\n  two\n\n  three\nb: c\n",
        "a: []\nb: {}\nc: ~\nd: null\n",
        "a: x:y\nb: a#b\nc: -1\nd: --flag\ne: http://example/?q=1\n",
        "a: \xc3\xa9\nb: \xf0\x9f\x98\x80 x\n",
        "a:\n  - b\n",
    };
    for (const std::string& text : documents) {
        CAPTURE(text);
        CHECK(compare_text(text).simple == 1);
    }
}

TEST_CASE("the simple reader finds the comments that libyaml's tokens leave") {
    const std::string documents[] = {
        "a: b\n",
        "--- # one\n# two\n\n  # three\na: b # four\n#five",
        "a: b#c # d # e\nb: 'x # y' # z\nc: \"x # y\" # z\nd: [] # x\ne: {} # x\n",
        "a: # one\n  # two\n  b: # three\n  - # four\n    c: d\n  # five\n",
        "a: |\n  x # y\n  # z\n# one\nb: |+\n  x\n\n# two\n",
        "a: one\n  two # three\n# four\nb: x\n  # five\nc: 'x\n  # y\n  z' # six\n",
    };
    for (const std::string& text : documents) {
        CAPTURE(text);
        const SourceFile file("text", text);
        Arena arena;
        std::vector<uint32_t> found;
        REQUIRE(read_simple_yaml(file, 0, static_cast<uint32_t>(text.size()), arena, &found));
        CHECK(found == comments_by_libyaml(text));
    }
}

TEST_CASE("the simple reader leaves ambiguous text to libyaml") {
    const std::string documents[] = {
        "- a\n",
        "a: &x b\n",
        "a: *x\n",
        "a: !!str b\n",
        "? a\n: b\n",
        "a: {b: c}\n",
        "a: [b]\n",
        "a: >\n  b\n",
        "a:\tb\n",
        "a:\n\tb: c\n",
        "a: b: c\n",
        "a: b\n c: d\n",
        "a: 'b\n",
        "a: \"\\/\"\n",
        "a\n",
        "a: \"b\" c\n",
        "a: .inf\n",
        "1: a\n",
        "n: a\n",
        "a: b\r\nc: d\r\n",
        "a: \x01\n",
        "a: \xff\n",
        "a: @b\n",
        "a: `b\n",
        "a: b\n...\n",
        "---a\nb: c\n",
        "--- |\n  a\n",
        "---# a\nb: c\n",
        "%YAML 1.1\n",
        "a: |\n  x",
        "a: \xc2\x85\n",
        "\xef\xbb\xbf"
        "a: b\n",
        "a: |\n   \n  x\n",
        "a: |\n   \n",
        "<<: {a: b}\n",
        "",
    };
    for (const std::string& text : documents) {
        CAPTURE(text);
        CHECK(compare_text(text).simple == 0);
    }
}

TEST_CASE("both readers know an escaped apostrophe, as opm does and libyaml does not") {
    CHECK(compare_text("a: \"don\\'t\"\n").simple == 1);
}

TEST_CASE("the simple reader leaves text that may be too long to libyaml") {
    const SourceFile file("f", "a: " + std::string(Value::max_size, 'x'));
    Arena arena;
    CHECK(!read_simple_yaml(file, 0, static_cast<uint32_t>(file.bytes().size()), arena));
}

TEST_CASE("both readers agree on all recorded catalogs" * doctest::test_suite("recorded")) {
    const std::filesystem::path root = OPCAT_SHARED "/conformance";
    Counts counts;
    for (const char* folder : {"catalogs", "edge/cases", "bundles"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            if (!entry.is_regular_file()) continue;
            const auto file = read_file(entry.path(), entry.path().string());
            Diagnostics problems;
            for (const DocumentRange& range : split_into_documents(*file, problems))
                if (range.notation == Notation::yaml) compare(*file, range, counts);
        }
    }
    MESSAGE(counts.simple, " of ", counts.documents, " documents are simple");
    CHECK(counts.simple * 10 > counts.documents * 8);
}
