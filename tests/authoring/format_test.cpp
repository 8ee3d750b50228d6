// Covers lib/document/yaml_comments.cpp and lib/document/yaml_layout.cpp.
#include "opcat/authoring/format.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace opcat;

namespace {

std::string formatted(const std::string& text, const std::string& name = "catalog.yaml") {
    const SourceFile file(name, text);
    const FormattedText result = format_file(file);
    for (const Diagnostic& problem : result.problems) FAIL_CHECK(to_text(problem, {}));
    return result.text;
}

struct FormatCase {
    const char* name;
    std::string before;
    std::string after;
};

} // namespace

TEST_CASE("formatting gives files the style of opm") {
    const FormatCase cases[] = {
        {"keys are sorted, lists are level with their key, quotes go where they are not needed",
         "schema: \"olm.channel\"\nname: 'a'\nentries:\n    - {replaces: x, name: foo.v1}\n",
         "---\nentries:\n- name: foo.v1\n  replaces: x\nname: a\nschema: olm.channel\n"},
        {"unknown, empty and repeated fields stay",
         "---\nnope: 1\nschema: x\nempty: []\nnothing:\ntext: ''\nnope: 2\n",
         "---\nempty: []\nnope: 1\nnope: 2\nnothing: null\nschema: x\ntext: \"\"\n"},
        {"many fields, of which two are repeated, keep their order: the last one counts",
         "a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nm: first\nm: second\nf: 1\ng: 1\nh: 1\ni: 1\nj: 1\na: 2\nschema: x\n",
         "---\na: 1\na: 2\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\nj: 1\nm: first\nm: "
         "second\nschema: x\n"},
        {"numbers and booleans keep their spelling",
         "schema: x\na: 0755\nb: yes\nc: 1.10\nd: 1_000\ne: True\n",
         "---\na: 0755\nb: yes\nc: 1.10\nd: 1_000\ne: True\nschema: x\n"},
        {"numbers before one of YAML's other line breaks, too",
         "schema: x\na: 0755\u2028b: 1.10\u0085c: 90000000000000000000\u2029",
         "---\na: 0755\nb: 1.10\nc: 90000000000000000000\nschema: x\n"},
        {"a text that ends with one of them does not hide the next document",
         "schema: x\nz: |2\n\n  a\u2028\n---\nschema: y\nz: |\n  a\n  b\u2029\n",
         "---\nschema: x\nz: \"\\na\\L\"\n---\nschema: y\nz: \"a\\nb\\P\"\n"},
        {"a comment behind a byte order mark stays", "\xef\xbb\xbf# c\nschema: x\n", "---\n# c\nschema: x\n"},
        {"aliases are written out", "schema: x\na: &a [1]\nb: *a\n", "---\na:\n- 1\nb:\n- 1\nschema: x\n"},
        {"control characters survive", "schema: \"x\\u0085y\\x07\"\n\"<<\": 1\n",
         "---\n\"<<\": 1\nschema: \"x\\Ny\\a\"\n"},
        {"documents keep their order", "schema: b\n---\nschema: a\n", "---\nschema: b\n---\nschema: a\n"},
        {"JSON has the order of the format, and what it does not know after it",
         R"({"nope": 1e3, "name": "foo", "entries": [{"replaces": "b", "x": null, "name": "a"}], "schema": "olm.channel"})",
         "{\n    \"schema\": \"olm.channel\",\n    \"name\": \"foo\",\n    \"entries\": [\n        {\n       "
         "     \"name\": \"a\",\n"
         "            \"replaces\": \"b\",\n            \"x\": null\n        }\n    ],\n    \"nope\": "
         "1e3\n}\n"},
        {"several fields that JSON does not know come by their names",
         R"({"b": {"z": 1, "y": 2}, "name": "foo", "a": 1, "B": 2, "schema": "olm.package"})",
         "{\n    \"schema\": \"olm.package\",\n    \"name\": \"foo\",\n    \"B\": 2,\n    \"a\": 1,\n    "
         "\"b\": {\n"
         "        \"z\": 1,\n        \"y\": 2\n    }\n}\n"},
        {"each document keeps its notation", "{\"schema\": \"x\"}\n---\nschema: y # z\n",
         "{\n    \"schema\": \"x\"\n}\n---\nschema: y # z\n"},
    };
    for (const FormatCase& c : cases) {
        CAPTURE(c.name);
        CHECK(formatted(c.before) == c.after);
        CHECK(formatted(c.after) == c.after);
    }
}

TEST_CASE("comments stay with the key or item that they belong to") {
    const FormatCase cases[] = {
        {"next to and above keys", "schema: x # s\n# about b\nb: 1\na: 2   # two  \n",
         "---\na: 2 # two\n# about b\nb: 1\nschema: x # s\n"},
        {"above a blob", "# why\n\n# what\nschema: x\nname: y\n",
         "---\n# why\n\n# what\nname: y\nschema: x\n"},
        {"on separators", "--- # one\nschema: x\n--- # two\nschema: y\n",
         "--- # one\nschema: x\n--- # two\nschema: y\n"},
        {"on separators, without a blank or with another line break",
         "schema: w\n---#c\nschema: x\n--- # a\rb # c\nschema: y\n",
         "---\nschema: w\n--- #c\nschema: x\n--- # a\rb # c\nschema: y\n"},
        {"on two separators in a row", "schema: x\n--- # one\n--- # two\nschema: y\n",
         "---\nschema: x\n--- # one\n--- # two\nschema: y\n"},
        {"at the end of a blob", "schema: x\n# last\n---\nschema: y\n# end\n",
         "---\nschema: x\n# last\n---\nschema: y\n# end\n"},
        {"above and next to items", "schema: x\nl:\n  # one\n  - a # A\n  # two\n  - b\n",
         "---\nl:\n# one\n- a # A\n# two\n- b\nschema: x\n"},
        {"of items that hold objects",
         "schema: x\nl:\n- # dash\n  # key\n  b: 1\n  a: 2 # A\n- {c: 3} # flow\n",
         "---\nl:\n# dash\n- a: 2 # A\n  # key\n  b: 1\n# flow\n- c: 3\nschema: x\n"},
        {"of a key that comes first in its item", "schema: x\nl:\n- b: 1\n  # about a\n  a: 2\n",
         "---\nl:\n# about a\n- a: 2\n  b: 1\nschema: x\n"},
        {"after a key with a collection", "schema: x\nm: # M\n  k: v\nl: [ # L\n  1, # one\n  2 ] # all\n",
         "---\n# L\nl: # all\n- 1 # one\n- 2\nm: # M\n  k: v\nschema: x\n"},
        {"between a key and its value", "schema: x\nk:\n  # between\n  v\n",
         "---\n# between\nk: v\nschema: x\n"},
        {"at the end of a collection",
         "z: {}\nm:\n  b: 1\n  a: 2\n  # end of m\nl:\n  - 1\n  # end of l\nschema: x\n",
         "---\nl:\n- 1\n  # end of l\nm:\n  a: 2\n  b: 1\n  # end of m\nschema: x\nz: {}\n"},
        {"at the end of nested lists", "schema: x\nl:\n  - - a\n    - b\n    # inner\n  # outer\nz: 1\n",
         "---\nl:\n- - a\n  - b\n    # inner\n    # outer\nschema: x\nz: 1\n"},
        {"after the head of a block of text",
         "schema: x\nt: | # T\n  # text\n  more\n# next\nu: >- # U\n  a\n\n  b\n",
         "---\nschema: x\nt: | # T\n  # text\n  more\n# next\nu: |- # U\n  a\n  b\n"},
        {"in empty brackets", "schema: x\nl: [\n  # none\n]\nm: {} # M\n",
         "---\nl: [] # none\nm: {} # M\nschema: x\n"},
        {"indented more than what follows, in the same object", "a: 1\n    # deep\nb: 2\nschema: x\n",
         "---\na: 1\n# deep\nb: 2\nschema: x\n"},
        {"of a merge, which is written out", "schema: x\na: &a {k: 1}\nb:\n  # merged\n  <<: *a\n",
         "---\na:\n  k: 1\nb:\n  k: 1\nschema: x\n# merged\n"},
        {"that one of YAML's other line breaks ends", "# a\u2028schema: x # b\u0085# c\n",
         "---\n# a\nschema: x # b\n# c\n"},
        {"after keys with a question mark",
         "schema: x\nm:\n  ? key\n  : k: v\n  # of m\n  ? " + std::string(130, 'k') +
             "\n  : v\n  # end of m\n",
         "---\nm:\n  key:\n    k: v\n  # of m\n  ? " + std::string(130, 'k') +
             "\n  : v\n  # end of m\nschema: x\n"},
        {"on a separator that nothing follows", "schema: x\n--- # end\n", "---\nschema: x\n# end\n"},
        {"on a line that has only an anchor", "&a # one\nschema: x\nb: 1\n", "---\n# one\nb: 1\nschema: x\n"},
        {"above an alias, once", "schema: x\na: &a\n  # inside\n  k: 1\nb: *a\n",
         "---\na:\n  # inside\n  k: 1\nb:\n  k: 1\nschema: x\n"},
    };
    for (const FormatCase& c : cases) {
        CAPTURE(c.name);
        CHECK(formatted(c.before) == c.after);
        CHECK(formatted(c.after) == c.after);
    }
}

TEST_CASE("blank lines stay before the key or item that follows, one of each group") {
    const FormatCase cases[] = {
        {"before keys", "schema: x\n\n\nb: 1\n \na: 2\n", "---\na: 2\n\nb: 1\nschema: x\n"},
        {"before items and keys of items", "schema: x\nl:\n\n- a: 1\n\n  b: 2\n\n- c\n- d\n",
         "---\nl:\n- a: 1\n\n  b: 2\n\n- c\n- d\nschema: x\n"},
        {"around comments", "schema: x\n\n# one\n\n# two\n\nz: 1\n\n# end\n\n",
         "---\nschema: x\n\n# one\n\n# two\n\nz: 1\n# end\n"},
        {"not at the begin of a document or an object", "\nschema: x\nb:\n\n  c: 1\n---\n\nschema: y\n\n",
         "---\nb:\n  c: 1\nschema: x\n---\nschema: y\n"},
        {"not in brackets", "schema: x\nl: [a,\n\n  b]\n", "---\nl:\n- a\n- b\nschema: x\n"},
        {"after texts", "schema: x\na: |\n  b\n\n  # c\n\nd: 'e\n\n  f'\n\ng: h\n",
         "---\na: |\n  b\n\n  # c\n\nd: |-\n  e\n  f\n\ng: h\nschema: x\n"},
        {"but not where they are content", "schema: x\na: |+\n  b\n\nd: e\n",
         "---\na: |+\n  b\n\nd: e\nschema: x\n"},
    };
    for (const FormatCase& c : cases) {
        CAPTURE(c.name);
        CHECK(formatted(c.before) == c.after);
        CHECK(formatted(c.after) == c.after);
    }
}

TEST_CASE(
    "what keeps a file from being formatted is in the order of its lines, and no more than a thousand") {
    std::string text = "{}";
    for (int i = 0; i < 1500; ++i) text += "\"x\"\n";
    const SourceFile many("c.yaml", text);
    const Diagnostics problems = format_file(many).problems;
    REQUIRE(problems.size() == 1002); // one of another rule
    CHECK(problems.back().message == "and 500 more findings of this rule in this file");
    const SourceFile two("c.yaml", "a: 1\n--- x\nb: 2\n");
    std::string places;
    for (const Diagnostic& problem : format_file(two).problems) places += place_of(problem.where) + " ";
    CHECK(places == "c.yaml:1:1 c.yaml:2:1 c.yaml:3:1 ");
}

TEST_CASE("a file that cannot be formatted without loss is unchanged") {
    const std::string deep =
        R"({"schema": "x", "a": )" + std::string(1001, '[') + std::string(1001, ']') + "}";
    const std::pair<const char*, std::string_view> cases[] = {
        {"a: [", "syntax"},
        {"schema: x\n...\nschema: y\n", "unread"},
        {"\xef\xbb\xbf{\"schema\": \"x\"}\n{\"schema\": \"y\"}\n", "unread"},
        {"schema: !!binary aGk=\n", "format-loss"},
        {deep.c_str(), "limit"},
        {"schema: x\na: {b:} # one\n", "format-loss"}, // libyaml does not read it
        {"schema: !custom x\n", "format-loss"},
        {R"({"schema":"x","a":"\ud83d"})", "format-loss"},
        {R"({"schema":"x","a":"\ude00\ud83d"})", "format-loss"},
        {"# only a comment\n---\nschema: x\n", "schema-missing"},
        {"- schema: x\n", "not-a-blob"},
        {"schema: x\n--- # caf\xe9\n", "syntax"},
        {"schema: x\n--- # \x01\n", "syntax"},
        {"schema: x\n--- # a\rb\n", "syntax"},
    };
    for (const auto& [text, rule] : cases) {
        CAPTURE(text);
        const SourceFile file("catalog.yaml", text);
        const FormattedText result = format_file(file);
        REQUIRE(!result.problems.empty());
        CHECK(result.problems.front().rule == rule);
        CHECK(result.problems.front().severity == Severity::error);
        CHECK(result.problems.front().where.file == &file);
        CHECK(result.text.empty());
    }
}

namespace {

// A blob in a random layout. Keys, and items that are scalars, have names of their own, and so have the
// comments on them.
class RandomBlob {
public:
    explicit RandomBlob(uint64_t seed) : engine_(seed) {}

    std::string text() {
        if (below(2) == 0) out_ += "# head\n";
        out_ += "schema: x\n";
        mapping(0, 4);
        if (below(4) == 0) out_ += "# foot\n";
        return std::move(out_);
    }

private:
    size_t below(size_t limit) { return engine_() % limit; }
    std::string name() { return fmt::format("{}{}", below(2) == 0 ? "k" : "K", next_++); }

    void above(size_t indent, const std::string& of) {
        if (below(4) == 0) out_ += "\n";
        for (size_t n = below(3); n > 1; --n) {
            out_ += std::string(indent, ' ') + "# above " + of + "\n";
            if (below(4) == 0) out_ += std::string(below(3), ' ') + "\n";
        }
    }
    void beside(const std::string& of) {
        if (below(4) == 0) out_ += "  # beside " + of;
        out_ += "\n";
    }

    void scalar(size_t indent, const std::string& of) {
        switch (below(7)) {
        case 0:
            out_ += fmt::format(" '{} # it''s: text'", of);
            break;
        case 1:
            out_ += fmt::format(" \"{}\\n \\t\\\"#\"", of);
            break;
        case 2: {
            constexpr const char* heads[] = {" |", " |-", " |+"};
            out_ += heads[below(std::size(heads))];
            beside(of);
            const std::string margin(indent + 1 + below(4), ' ');
            out_ += fmt::format("{0}# {1}\n\n{0}text: {1}\n", margin, of);
            return;
        }
        case 3:
            out_ += fmt::format(" {} and\n\n{}  more", of, std::string(indent, ' '));
            break;
        case 4:
            out_ += fmt::format(
                " {} {}", of,
                "and many words that make the line longer than the eighty columns that a line has");
            break;
        default:
            out_ += fmt::format(" {}", of);
        }
        beside(of);
    }

    void flow(size_t depth) {
        const bool is_list = below(2) == 0;
        out_ += is_list ? '[' : '{';
        for (size_t n = below(3), i = 0; i < n; ++i) {
            const std::string of = name();
            if (i > 0) out_ += ", ";
            if (!is_list) out_ += of + ": ";
            if (depth > 0 && below(3) == 0)
                flow(depth - 1);
            else
                out_ += of;
        }
        out_ += is_list ? ']' : '}';
    }

    void mapping(size_t indent, size_t depth, bool first_is_open = false) {
        for (size_t n = 1 + below(4), i = 0; i < n; ++i) {
            const std::string key = name();
            if (i > 0 || !first_is_open) {
                above(indent, key);
                out_ += std::string(indent, ' ');
            }
            out_ += below(4) == 0 ? fmt::format("\"{}\":", key) : key + ":";
            value(indent, depth, key);
        }
        if (indent > 0 && below(6) == 0) out_ += std::string(indent, ' ') + "# end\n";
    }

    void value(size_t indent, size_t depth, const std::string& key) {
        switch (depth == 0 ? 0 : below(5)) {
        case 1:
            beside(key);
            mapping(indent + 1 + below(4), depth - 1);
            break;
        case 2:
            beside(key);
            sequence(indent + below(3), depth - 1);
            break;
        case 3:
            out_ += ' ';
            flow(2);
            beside(key);
            break;
        default:
            scalar(indent, key);
        }
    }

    void sequence(size_t indent, size_t depth) {
        for (size_t n = 1 + below(3); n > 0; --n) {
            const std::string item = name();
            switch (depth == 0 ? 0 : below(4)) {
            case 1:
                if (below(3) == 0) out_ += std::string(indent, ' ') + "# item\n";
                out_ += std::string(indent, ' ') + "- ";
                mapping(indent + 2, depth - 1, true);
                break;
            case 2:
                out_ += std::string(indent, ' ') + "-\n";
                sequence(indent + 1 + below(3), depth - 1);
                break;
            default:
                above(indent, item);
                out_ += std::string(indent, ' ') + "-";
                scalar(indent, item);
            }
        }
        if (indent > 0 && below(6) == 0) out_ += std::string(indent, ' ') + "# end\n";
    }

    std::mt19937_64 engine_;
    size_t next_ = 0;
    std::string out_;
};

// Equal to an independent reader of YAML 1.2.
bool is_same(const YAML::Node& a, const YAML::Node& b) {
    if (a.Type() != b.Type() || a.size() != b.size()) return false;
    if (a.IsScalar()) return a.Scalar() == b.Scalar();
    if (a.IsSequence()) {
        for (size_t i = 0; i < a.size(); ++i)
            if (!is_same(a[i], b[i])) return false;
        return true;
    }
    for (const auto& member : a)
        if (!b[member.first.Scalar()] || !is_same(member.second, b[member.first.Scalar()])) return false;
    return true;
}

std::vector<std::string> comments_in(const std::string& text) {
    std::vector<std::string> found;
    for (const char* mark : {"# above ", "# beside ", "# head", "# foot", "# item", "# end"})
        for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1))
            found.push_back(text.substr(at, text.find('\n', at) - at));
    std::sort(found.begin(), found.end());
    return found;
}

// Whether each comment is above or next to what its text names.
std::string misplaced_comment(const std::string& text) {
    const auto lines = lines_of(text);
    const auto begins = [](std::string_view line, std::string_view name) {
        line.remove_prefix(std::min(line.find_first_not_of(" #-\"'"), line.size()));
        return line.starts_with(name) && !(line.size() > name.size() && is_digit(line[name.size()]));
    };
    const auto is_comment = [&](size_t i) { return lines[i].find_first_not_of(' ') == lines[i].find('#'); };
    // A text may begin on the line after its dash, and end a few lines later.
    const auto any_begins = [&](size_t first, size_t last, std::string_view name) {
        for (size_t i = first; i <= last && i < lines.size(); ++i)
            if (begins(lines[i], name)) return true;
        return false;
    };
    for (size_t i = 0; i < lines.size(); ++i) {
        if (const size_t at = lines[i].find("# above "); at != std::string_view::npos) {
            size_t next = i + 1;
            while (next < lines.size() && is_comment(next)) ++next;
            if (!any_begins(next, next + 1, lines[i].substr(at + 8))) return std::string(lines[i]);
        }
        if (const size_t at = lines[i].find("# beside "); at != std::string_view::npos)
            if (!any_begins(i < 3 ? 0 : i - 3, i + 1, lines[i].substr(at + 9))) return std::string(lines[i]);
    }
    return {};
}

} // namespace

TEST_CASE("whatever the layout, values and comments survive, and formatting again changes nothing") {
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        const std::string before = RandomBlob(seed).text();
        CAPTURE(seed);
        CAPTURE(before);
        const std::string after = formatted(before);
        REQUIRE(!after.empty());
        REQUIRE(formatted(after) == after);
        REQUIRE(comments_in(after) == comments_in(before));
        REQUIRE(misplaced_comment(after) == "");
        REQUIRE(is_same(YAML::Load(before), YAML::Load(after)));
    }
}
