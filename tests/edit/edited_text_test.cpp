// Covers lib/edit/edited_text.cpp, text_changes.cpp and text_style.cpp.
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/edit/catalog_text.hpp"
#include "opcat/edit/edited_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace opcat;
using namespace opcat::edit;

namespace {

EditedText opened(std::string_view text) {
    return EditedText(std::make_shared<SourceFile>("c.yaml", text));
}

using Change = std::function<void(EditedText&, const Value& root)>;

std::string text_after(const EditedText& text) {
    return std::string(text.after().file->bytes());
}

std::string changed(std::string_view text, const Change& edit) {
    EditedText edited = opened(text);
    edit(edited, edited.documents().front());
    return text_after(edited);
}

Value item(EditedText& text, std::string_view name) {
    return object_of({{"name", text_of(name, text.arena())}}, text.arena());
}

const Change append_b = [](EditedText& text, const Value& root) {
    text.append(root, "list", item(text, "b"));
};
const Change remove_first = [](EditedText& text, const Value& root) {
    text.remove_item(*root.find("list"), 0);
};
const Change set_name = [](EditedText& text, const Value& root) { text.set(root, "name", Value::of("new")); };
const Change remove_last_two = [](EditedText& text, const Value& root) {
    const Value& list = *root.find("list");
    for (size_t i = 1; i <= 2; ++i) text.remove_item(list, list.items().size() - i);
};
const Change remove_all_but_second = [](EditedText& text, const Value& root) {
    const Value& list = *root.find("list");
    for (size_t i = 0; i < list.items().size(); ++i)
        if (i != 1) text.remove_item(list, i);
};
const Change replace_last = [](EditedText& text, const Value& root) {
    const Value& list = *root.find("list");
    text.remove_item(list, list.items().size() - 1);
    text.append(root, "list", Value::of("new"));
};
const Change set_inner = [](EditedText& text, const Value& root) {
    text.set(root.find("list")->items()[0], "name", Value::of("new"));
};
const Change remove_name = [](EditedText& text, const Value& root) { text.remove(root, "name"); };

} // namespace

TEST_CASE("a document that does not change is not parsed again") {
    EditedText text = opened("---\nname: a\n---\nname: b\n---\nname: c\n");
    text.set(text.documents()[1], "name", Value::of("new"));
    text.insert_document(1, {"name: more\n", item(text, "more")});
    text.remove_document(0);
    const NewText now = text.after();
    REQUIRE(now.file->bytes() == "---\nname: new\n---\nname: more\n---\nname: c\n");
    std::vector<std::pair<std::string_view, bool>> found; // and whether it is the value of before
    for (const ParsedDocument& one : now.documents)
        found.emplace_back(one.value.find("name")->string(), one.file == &text.file());
    CHECK(found ==
          std::vector<std::pair<std::string_view, bool>>{{"new", false}, {"more", false}, {"c", true}});
}

TEST_CASE("a change is written where it stands, in the manner of the text around it") {
    struct Case {
        const char* what;
        const Change& edit;
        std::string_view before;
        std::string_view wanted;
    };
    const Case cases[] = {
        {"list level with its key", append_b, "list:\n- name: a\nz: 1\n",
         "list:\n- name: a\n- name: b\nz: 1\n"},
        {"list below its key", append_b, "list:\n    - name: a\n", "list:\n    - name: a\n    - name: b\n"},
        {"comments stay", append_b, "list: # all\n- name: a # one\n# end of it\nz: 1\n",
         "list: # all\n- name: a # one\n- name: b\n# end of it\nz: 1\n"},
        {"a text of several lines at the end", append_b, "list:\n- name: a\n  t: |\n    x\n\n    # y\nz: 1\n",
         "list:\n- name: a\n  t: |\n    x\n\n    # y\n- name: b\nz: 1\n"},
        {"an empty list", append_b, "list: []\nz: 1\n", "list:\n- name: b\nz: 1\n"},
        {"a list that is null", append_b, "list:\nz: 1\n", "list:\n- name: b\nz: 1\n"},
        {"a list that is missing", append_b, "z: [1]\n", "z: [1]\nlist:\n- name: b\n"},
        {"lists below their keys elsewhere", append_b, "z:\n  - 1\n", "z:\n  - 1\nlist:\n  - name: b\n"},
        {"brackets", append_b, "list: [{name: a}] # short\n", "list: [{name: a}, {name: b}] # short\n"},
        {"brackets over lines", append_b, "list: [\n  {name: a}\n]\n",
         "list: [\n  {name: a},\n  {name: b}\n]\n"},
        {"a comment stays with the item before", append_b, "list: [\n  {name: a} # c\n]\n",
         "list: [\n  {name: a}, # c\n  {name: b}\n]\n"},
        {"a comment after the last comma", append_b, "list: [\n  {name: a}, # c\n]\n",
         "list: [\n  {name: a}, # c\n  {name: b},\n]\n"},
        {"no break at the end", append_b, "list:\n- name: a", "list:\n- name: a\n- name: b"},
        {"CR and LF", append_b, "list:\r\n- name: a\r\n", "list:\r\n- name: a\r\n- name: b\r\n"},
        {"JSON", append_b, "{\n  \"list\": [\n    {\n      \"name\": \"a\"\n    }\n  ]\n}\n",
         "{\n  \"list\": [\n    {\n      \"name\": \"a\"\n    },\n    {\n      \"name\": \"b\"\n    }\n  "
         "]\n}\n"},
        {"JSON on one line", append_b, "{\"list\": [{\"name\": \"a\"}]}",
         "{\"list\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}"},
        {"JSON, an empty list", append_b, "{\n  \"list\": []\n}\n",
         "{\n  \"list\": [\n    {\n      \"name\": \"b\"\n    }\n  ]\n}\n"},
        {"an item goes with its lines", remove_first,
         "list:\n- name: a\n  # its\n  x: 1\n# of b\n- name: b\n", "list:\n# of b\n- name: b\n"},
        {"an item goes from brackets", remove_first, "list: [a, b]\n", "list: [b]\n"},
        {"the only item", remove_first, "{\"list\": [\"a\"]}", "{\"list\": []}"},
        {"the last items of brackets", remove_last_two, "list: [a, b, c]\n", "list: [a]\n"},
        {"objects in brackets", remove_last_two, "list: [{n: a}, {n: b}, {n: c}] # all\n",
         "list: [{n: a}] # all\n"},
        {"the last items of JSON", remove_last_two, "{\"list\": [\"a\", \"b\", \"c\"]}",
         "{\"list\": [\"a\"]}"},
        {"lines of JSON", remove_last_two, "{\n \"list\": [\n  \"a\",\n  \"b\",\n  \"c\"\n ]\n}\n",
         "{\n \"list\": [\n  \"a\"\n ]\n}\n"},
        {"objects of JSON", remove_last_two,
         "{\"list\": [\n  {\n   \"n\": 1\n  },\n  {\n   \"n\": 2\n  },\n  {\n   \"n\": 3\n  }\n ]}\n",
         "{\"list\": [\n  {\n   \"n\": 1\n  }\n ]}\n"},
        {"objects of JSON on shared lines", remove_last_two,
         "{\"list\": [{\n   \"n\": 1\n  }, {\n   \"n\": 2\n  }, {\n   \"n\": 3\n  }]}\n",
         "{\"list\": [{\n   \"n\": 1\n  }]}\n"},
        {"all but one", remove_all_but_second, "list: [a, b, c, d]\n", "list: [b]\n"},
        {"all but one of several lines", remove_all_but_second, "list: [a, b,\n  c, d]\n", "list: [b]\n"},
        {"comments of texts in brackets", remove_all_but_second,
         "list: [a, # of a\n  b, # of b\n  c, # of c\n  d # of d\n]\n", "list: [\n  b # of b\n]\n"},
        {"the last is another one", replace_last, "list: [a, b]\n", "list: [a, new]\n"},
        {"the last line is another one", replace_last, "list: [\n  a,\n  b\n]\n",
         "list: [\n  a,\n  new\n]\n"},
        {"a comment after a member in braces", set_inner, "list: [\n  { a: 1,\n    name: x # said\n  }\n]\n",
         "list: [\n  { a: 1,\n    name: new # said\n  }\n]\n"},
        {"a comment after quotes in braces", set_inner, "list: [{name: 'x, y' # said\n }]\n",
         "list: [{name: new # said\n }]\n"},
        {"a plain text", set_name, "name: old # said\n", "name: new # said\n"},
        {"quotes stay", set_name, "name: \"old\"\nz: 1\n", "name: \"new\"\nz: 1\n"},
        {"single quotes stay", set_name, "name: 'o''ld'\n", "name: 'new'\n"},
        {"the comment of a text of several lines", set_name, "name: |- # said\n  old\n\n  # old\nz: 1\n",
         "name: new # said\nz: 1\n"},
        {"the comment of a folded text", set_name, "name: > # said\r\n  old\r\nz: 1\r\n",
         "name: new # said\r\nz: 1\r\n"},
        {"the comment of quotes over lines", set_name, "name: \"old\n  text\" # said\nz: 1\n",
         "name: \"new\" # said\nz: 1\n"},
        {"the comment of a plain text over lines", set_name, "name: old\n  text # said\nz: 1\n",
         "name: new # said\nz: 1\n"},
        {"a comment deeper than its key", set_name, "name: old\n  # said\nz: 1\n",
         "name: new\n  # said\nz: 1\n"},
        {"the comment of a number", set_name, "name: 1 # said\n", "name: new # said\n"},
        {"the comment of nothing", set_name, "name: ~ # said\nz: 1\n", "name: new # said\nz: 1\n"},
        {"comments of a key and of its text", set_name, "name: # key\n  old # text\nz: 1\n",
         "name: new # key # text\nz: 1\n"},
        {"a text on the next line", set_name, "name:\n  old\nz: 1\n", "name: new\nz: 1\n"},
        {"a new member comes last", set_name, "a: 1\nb:\n- x\n# end\n", "a: 1\nb:\n- x\nname: new\n# end\n"},
        {"a member of JSON", set_name, "{\n \"a\": 1\n}\n", "{\n \"a\": 1,\n \"name\": \"new\"\n}\n"},
        {"a member goes with its lines", remove_name, "a: 1\nname: |\n  x\n  y\nb: 2\n", "a: 1\nb: 2\n"},
        {"a member goes from JSON", remove_name, "{\"a\": 1, \"name\": \"x\"}", "{\"a\": 1}"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        CHECK(changed(one.before, one.edit) == one.wanted);
    }
}

TEST_CASE("the first member of an item leaves its dash to the next") {
    CHECK(changed("list:\n- name: a\n  x: 1\n", [](EditedText& text, const Value& root) {
              text.remove(root.find("list")->items()[0], "name");
          }) == "list:\n- x: 1\n");
}

TEST_CASE("comments above the second member of an item stay if the first one goes") {
    const Change remove_first_member = [](EditedText& text, const Value& root) {
        text.remove(root.find("list")->items()[0], "name");
    };
    CHECK(changed("list:\n- name: a # of a\n  # of x\n  # and more\n  x: 1\n", remove_first_member) ==
          "list:\n- # of x\n  # and more\n  x: 1\n");
    CHECK(changed("list:\n- name: |\n    # text\n\n  # of x\n  x: 1\n", remove_first_member) ==
          "list:\n- # of x\n  x: 1\n");
}

TEST_CASE("where an inner and an outer list end together, each gets its own item") {
    CHECK(changed("list:\n- name: a\n  inner:\n  - x\n", [](EditedText& text, const Value& root) {
              text.append(root, "list", item(text, "b"));
              text.append(root.find("list")->items()[0], "inner", Value::of("w"));
          }) == "list:\n- name: a\n  inner:\n  - x\n  - w\n- name: b\n");
}

TEST_CASE("documents come and go with their separators") {
    const auto with = [](std::string_view text, auto edit) {
        EditedText edited = opened(text);
        edit(edited);
        return text_after(edited);
    };
    const auto insert = [](size_t after_this) {
        return [after_this](EditedText& text) {
            const Value root = item(text, "m");
            text.insert_document(after_this, {"name: m\n", root});
        };
    };
    const auto remove = [](size_t index) {
        return [index](EditedText& text) { text.remove_document(index); };
    };
    CHECK(with("a: 1\n---\nb: 1\n", insert(0)) == "a: 1\n---\nname: m\n---\nb: 1\n");
    CHECK(with("---\na: 1\n", insert(0)) == "---\na: 1\n---\nname: m\n");
    CHECK(with("---\na: 1\n---\nb: 1\n", remove(0)) == "---\nb: 1\n");
    CHECK(with("a: 1\n---\nb: 1\n", remove(0)) == "b: 1\n");
    CHECK(with("a: 1\n---\nb: 1\n", remove(1)) == "a: 1\n");
    CHECK(with("{\"a\": 1}\n{\"b\": 1}\n", remove(0)) == "{\"b\": 1}\n");
    const auto remove_several = [](std::initializer_list<size_t> all) {
        return [all = std::vector<size_t>(all)](EditedText& text) {
            for (const size_t index : all) text.remove_document(index);
        };
    };
    CHECK(with("a: 1\n---\nb: 1\n---\nc: 1\n", remove_several({0, 1})) == "c: 1\n");
    CHECK(with("a: 1\n---\nb: 1\n---\nc: 1\n", remove_several({0, 2})) == "b: 1\n");
    CHECK(with("a: 1\n---\nb: 1\n---\nc: 1\n", remove_several({1, 2})) == "a: 1\n");
    CHECK(with("---\na: 1\n---\nb: 1\n---\nc: 1\n", remove_several({0, 1})) == "---\nc: 1\n");
    CHECK(with("{\"a\": 1}\n{\"b\": 1}\n{\"c\": 1}\n", remove_several({0, 1})) == "{\"c\": 1}\n");
}

TEST_CASE("comments about a file stay if its first documents go") {
    const std::string header = "# Copyright\n# SPDX\n\n";
    const std::string rest = "# of a\na: 1\n---\nb: 1\n---\n# of c\nc: 1\n";
    for (const std::string& top : {header, "---\n" + header}) {
        CAPTURE(top);
        for (const size_t count : {1U, 2U}) {
            EditedText text = opened(top + rest);
            for (size_t i = 0; i < count; ++i) text.remove_document(i);
            CHECK(text_after(text) == top + (count == 1 ? "b: 1\n---\n" : "") + "# of c\nc: 1\n");
        }
    }
    EditedText text = opened("# of a\na: 1\n\n# of b\n---\nb: 1\n");
    text.remove_document(0);
    CHECK(text_after(text) == "# of b\nb: 1\n");
    EditedText separated = opened("---\na: 1\n\n# of b\n---\nb: 1\n");
    separated.remove_document(0);
    CHECK(text_after(separated) == "---\n# of b\nb: 1\n");
}

TEST_CASE("what cannot be changed in one place is refused, and nothing else is written") {
    const std::pair<const char*, const char*> cases[] = {
        {"a: &x\n  list:\n  - name: a\nb: *x\n", "an alias uses this text elsewhere"},
        {"a:\n  list: &x\n  - name: a\nb: {list: *x}\n", "an alias uses this text elsewhere"},
        {"z: &x {m: 1}\na:\n  <<: *x\n  m: 2\n  list:\n  - name: a\n", "its text has anchors"}};
    for (const auto& [anchored, words] : cases) {
        CAPTURE(anchored);
        EditedText text = opened(anchored);
        text.append(*text.documents().front().find("a"), "list", item(text, "b"));
        CHECK_THROWS_WITH_AS(text_after(text), doctest::Contains(words), Error);
    }
    CHECK_THROWS_AS(opened("a: [\n"), Error);
}

TEST_CASE("random changes of random texts change no other line") {
    std::mt19937 random(7); // NOLINT(cert-msc51-cpp,bugprone-random-generator-seed): the same texts each time
    const auto any = [&](size_t below) { return static_cast<size_t>(random() % below); };
    for (int round = 0; round < 3000; ++round) {
        CAPTURE(round);
        const bool deeper = any(2) == 0;
        std::string text = any(2) == 0 ? "# top\n---\n" : "";
        const size_t entries = 1 + any(5);
        text +=
            "schema: olm.channel\nname: \"c\"\nentries:" + std::string(any(3) == 0 ? " # all" : "") + "\n";
        const std::string indent = deeper ? "  " : "";
        for (size_t i = 0; i < entries; ++i) {
            if (any(3) == 0) text += indent + "# about " + std::to_string(i) + "\n";
            text += indent + "- name: foo.v" + std::to_string(i) + "\n";
            if (any(2) == 0) text += indent + "  replaces: 'foo.v" + std::to_string(i + 1) + "'  # why\n";
            if (any(3) == 0) text += indent + "  skips: [a, b]\n";
            if (any(4) == 0) text += indent + "  skips2:\n" + indent + "  - a\n\n" + indent + "  - b\n";
            if (any(4) == 0)
                text += indent + "  other: |\n" + indent + "    - text\n\n" + indent + "    # more\n";
        }
        text += any(2) == 0 ? "package: foo\n" : "# end\n";
        if (any(3) == 0) text += "---\nschema: x\n";
        if (any(5) == 0) text = replace_all(text, "\n", "\r\n");
        EditedText edited = opened(text);
        const Value root =
            edited.documents().front().is_null() ? edited.documents()[1] : edited.documents().front();
        const Value list = *root.find("entries");
        const size_t which = any(entries);
        const size_t kind = any(entries > 1 ? 5 : 4);
        if (kind == 0) edited.append(root, "entries", item(edited, "new"));
        if (kind == 1) edited.insert_after(list, which, item(edited, "new"));
        if (kind == 2) edited.set(list.items()[which], "replaces", Value::of("bar.v1"));
        if (kind == 3) edited.append(list.items()[which], "skips", Value::of("bar.v2"));
        if (kind == 4) edited.remove_item(list, which);
        // after() compares what it says with what is meant; here, that the lines around it are the same.
        const std::string now = text_after(edited);
        const auto before_lines = lines_of(text);
        const auto now_lines = lines_of(now);
        const size_t most = std::min(before_lines.size(), now_lines.size());
        size_t same = 0;
        while (same < most && before_lines[same] == now_lines[same]) ++same;
        for (size_t last = 1;
             same < most && before_lines[before_lines.size() - last] == now_lines[now_lines.size() - last];
             ++last)
            ++same;
        const size_t lost = before_lines.size() - same;
        const size_t may_go = kind == 4 ? before_lines.size() - now_lines.size() : kind < 2 ? 0 : 1;
        CHECK(lost <= may_go);
    }
}
