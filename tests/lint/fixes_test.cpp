#include "../catalog/catalog_text.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/apply_fixes.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lint/subject.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <random>
#include <set>

using namespace opcat;

namespace {

// In block style, as people write it.
const std::string good = R"(---
schema: olm.package
name: foo
defaultChannel: stable
---
# the only channel
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.1.0
  replaces: foo.v1.0.0
- name: foo.v1.0.0
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: r.example/foo:1
properties:
- type: olm.package
  value:
    packageName: foo
    version: 1.0.0
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: r.example/foo:2
properties:
- type: olm.package
  value:
    packageName: foo
    version: 1.1.0
)";

struct Fixed {
    std::string text;
    size_t fixes = 0;
    size_t before = 0; // findings
    size_t after = 0;
};

Fixed fixed(const std::string& text, bool unsafe, ThreadPool& pool) {
    const auto check = [&](const LoadedCatalog& catalog) {
        return lint({{Source("c", catalog)}}, {}, pool).findings;
    };
    const LoadedCatalog loaded = load_text(text);
    const FixedCatalog result =
        fix_catalog(loaded, check(loaded), {check, [](const std::string&) { return true; }, unsafe}, pool);
    Fixed outcome{result.files.empty() ? text : result.files.front().after, result.fixes,
                  check(loaded).size(), 0};
    outcome.after = check(load_text(outcome.text)).size();
    return outcome;
}

std::string with(std::string_view from, std::string_view to) {
    REQUIRE(good.find(from) != good.npos);
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
}

std::string copy_of_the_last_blob() {
    return good.substr(good.rfind("---"));
}

} // namespace

TEST_CASE("certain fixes are applied, and other text stays") {
    ThreadPool pool(1);
    CHECK(fixed(good, true, pool).text == good);
    CHECK(fixed(good, true, pool).before == 0);
    struct Case {
        std::string_view what;
        std::string text;
        bool unsafe = false;
        std::string wanted = good;
    };
    const Case cases[] = {
        {"a misspelt field", with("replaces", "replases")},
        {"a misspelt schema", with("olm.channel", "olm.chanel")},
        {"a misspelt type of properties, in all places",
         replace_all(good, "olm.package\n  value", "olm.packag\n  value")},
        {"a version that is a number", with("version: 1.0.0", "version: 1.0")},
        {"a version that is a whole number", with("version: 1.0.0", "version: 1")},
        {"a version whose last digit a number loses", replace_all(good, "1.1.0", "1.10"), false,
         replace_all(replace_all(good, "1.1.0", "1.10"), "version: 1.10", "version: 1.10.0")},
        {"a name that is a number", replace_all(good, "foo.v1.1.0", "1.1"), false,
         replace_all(good, "foo.v1.1.0", "\"1.1\"")},
        {"a name that is a number, after which other mistakes show",
         with("- name: foo.v1.1.0", "- name: 1.10"), false, with("- name: foo.v1.1.0", "- name: \"1.10\"")},
        {"an entry twice", with("- name: foo.v1.0.0\n", "- name: foo.v1.0.0\n- name: foo.v1.0.0\n")},
        {"a blob twice", good + copy_of_the_last_blob()},
        {"a key twice", with("package: foo\n", "package: foo\npackage: foo\n")},
        {"a key twice with another value", with("package: foo\n", "package: foo2\npackage: foo\n"), true},
        {"line breaks of two characters", replace_all(good, "\n", "\r\n")},
        {"tabs for indentation",
         with("  value:\n    packageName: foo\n    version", "\tvalue:\n\t\tpackageName: foo\n\t\tversion")},
        {"no blank after a colon", with("packageName: foo", "packageName:foo")},
        {"a space that is another character", with("name: stable", "name:\u00a0stable")},
        {"a default channel that is misspelt", with("defaultChannel: stable", "defaultChannel: stabl"), true},
        {"a default channel with two letters in the wrong order",
         with("defaultChannel: stable", "defaultChannel: stabel"), true},
        {"two characters that look like spaces",
         with("name: stable\nentries:", "name:\u00a0stable\nentries:\u200b")},
        {"a comment that suppresses nothing", with("name: stable", "name: stable # opcat: ignore[icon] why")},
        {"a bundle that is not an entry",
         with("entries:\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n", "entries:\n"), true,
         with("- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v1.0.0\n",
              "- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n")},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        const Fixed result = fixed(c.text, c.unsafe, pool);
        CHECK(result.text == c.wanted);
        CHECK(result.before > 0);
        CHECK(fixed(result.text, c.unsafe, pool).fixes == 0);
        if (c.unsafe) CHECK(fixed(c.text, false, pool).text == c.text);
    }
}

TEST_CASE("keys that are given twice are corrected in JSON as in YAML") {
    ThreadPool pool(1);
    const auto package = [](std::string_view members) {
        return fmt::format(R"({{"schema": "olm.package", {}}})", members) + "\n" +
               good.substr(good.find("---\n#"));
    };
    const std::string once = package(R"("name": "foo",  "defaultChannel": "stable")");
    struct Case {
        std::string text;
        bool unsafe;
        std::string wanted;
    };
    const Case cases[] = {
        {package(R"("name": "foo", "name": "foo",  "defaultChannel": "stable")"), false, once},
        {package("\"name\"\n:\n\"foo\" ,\n \"name\"\n:\n\"foo\",  \"defaultChannel\": \"stable\""), false,
         package("\"name\"\n:\n\"foo\",  \"defaultChannel\": \"stable\"")},
        {package(R"("name": "foo", "name": "foo", "name": "foo",  "defaultChannel": "stable")"), false, once},
        {package(R"("name": "bar", "name": "foo",  "defaultChannel": "stable")"), true, once},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(fixed(c.text, c.unsafe, pool).text == c.wanted);
        if (c.unsafe) CHECK(fixed(c.text, false, pool).fixes == 0);
    }
}

TEST_CASE(
    "what does not read as a catalog afterwards stays as it is, and so does what would say something else") {
    ThreadPool pool(1);
    const std::string cases[] = {
        "all:\n\techo $@\n",          // a Makefile
        "#!/bin/sh\r\nexec true\r\n", // a program
        std::string("\x89PNG\r\n\x1a\n\0\0\r\n", 14),
        "name:foo\nversion: 1\n", // neither YAML nor, with a blank, a blob
        good + "---\nname:foo\n",
        with("name: foo\n", "name: foo\ndescription: |\n  all:\n  \techo\n\tmore: 1\n"), // a tab of a text
        replace_all(with("name: foo\n", "name: foo\ndescription: |\n  a\r\n  b\n"), "\n", "\r\n"),
        replace_all(good, "\n", "\r\n") + "---\r\n- 1\r\n",
        with("version: 1.0.0", "version: 01.0"), // has no certain spelling
        with("version: 1.0.0", "version: true"),
        with("version: 1.0.0\n", "version: 1.0\u2028"), // hides the next document
    };
    for (const std::string& text : cases) {
        CAPTURE(text);
        const Fixed result = fixed(text, true, pool);
        CHECK(result.text == text);
        CHECK(result.fixes == 0);
    }
}

TEST_CASE("changes are named by their lines in the file as it was") {
    ThreadPool pool(1);
    const auto check = [&](const LoadedCatalog& catalog) {
        return lint({{Source("c", catalog)}}, {}, pool).findings;
    };
    std::string text = replace_all(with("- name: foo.v1.0.0\n", "- name: foo.v1.0.0\n- name: foo.v1.0.0\n"),
                                   "version: 1.1.0", "version: 1.1");
    text = replace_all(text, "olm.bundle", "olm.bundel");
    const LoadedCatalog loaded = load_text(text);
    const FixedCatalog result =
        fix_catalog(loaded, check(loaded), {check, [](const std::string&) { return true; }, false}, pool);
    std::vector<std::string> lines;
    for (const AppliedChange& change : result.changes)
        lines.push_back(fmt::format("{}: {}: {}", change.line, change.rule, change.what));
    CHECK(fmt::format("{}", fmt::join(lines, "\n")) ==
          "14: entry-duplicate: remove the second entry\n"
          "16: unknown-schema: write olm.bundle instead of olm.bundel\n"
          "26: unknown-schema: write olm.bundle instead of olm.bundel\n"
          "34: property-value: write 1.1.0");
    CHECK(result.fixes == 3);
}

TEST_CASE("a line is that of the file as it was, also where three fixes each show the next mistake") {
    ThreadPool pool(1);
    const auto check = [&](const LoadedCatalog& catalog) {
        return lint({{Source("c", catalog)}}, {}, pool).findings;
    };
    // The last blob can be read only without tabs, and has a version only after its fields are right.
    std::string text = with("- name: foo.v1.0.0\n", "- name: foo.v1.0.0\n- name: foo.v1.0.0\n");
    const size_t last = text.rfind("image:");
    text.replace(last, text.npos,
                 "imgae: r.example/foo:2\npropertes:\n- type: olm.package\n\tvalue:\n\t\tpackageName: "
                 "foo\n\t\tversion: 1.1\n");
    const LoadedCatalog loaded = load_text(text);
    const FixedCatalog result =
        fix_catalog(loaded, check(loaded), {check, [](const std::string&) { return true; }, false}, pool);
    std::vector<std::string> lines;
    for (const AppliedChange& change : result.changes)
        lines.push_back(fmt::format("{}: {}", change.line, change.rule));
    CHECK(fmt::format("{}", fmt::join(lines, ", ")) ==
          "14: entry-duplicate, 29: unknown-field, 30: unknown-field, 32: syntax, 34: property-value");
}

TEST_CASE("a fix that would uncover more findings than it corrects is left out") {
    ThreadPool pool(1);
    // An unreferenced channel with many mistakes.
    std::string text = good + "---\nschema: olm.chanel\npackage: foo\nname: fast\nentries:\n";
    for (int i = 0; i < 9; ++i) text += fmt::format("- name: absent-{}\n", i);
    const Fixed result = fixed(text + "extra: 1\n", false, pool);
    CHECK(result.fixes == 0);
    // Others are still applied.
    text.replace(text.find("replaces"), 8, "replases");
    CHECK(fixed(text, false, pool).fixes == 1);
}

TEST_CASE("the number of fixes that are tried is bounded, also of those after which no blob can be read") {
    ThreadPool pool(1);
    for (const auto& [documents, complete] : {std::pair(20, true), {300, false}}) {
        std::string text;
        for (int i = 0; i < documents; ++i) text += "---\nschema:\u00a0x\n";
        const auto check = [&](const LoadedCatalog& catalog) {
            return lint({{Source("c", catalog)}}, {}, pool).findings;
        };
        const LoadedCatalog loaded = load_text(text);
        const FixedCatalog result =
            fix_catalog(loaded, check(loaded), {check, [](const std::string&) { return true; }, false}, pool);
        CHECK(result.fixes == 0);
        CHECK(result.complete == complete);
    }
}

TEST_CASE("fixing again changes nothing") {
    ThreadPool pool(1);
    std::mt19937 random(23);
    const std::vector<std::pair<std::string_view, std::string_view>> mistakes = {
        {"replaces", "replases"},
        {"olm.bundle", "olm.bundel"},
        {"olm.channel", "olm.Channel"},
        {"packageName", "packagName"},
        {"1.0.0\n", "1.0\n"},
        {"  value", "\tvalue"},
        {": stable", ":stable"},
        {"entries:", "entreis:"},
        {"\n", "\r\n"},
        {"name: ", "name: x\nname: "},
        {"- name", "- name: y\n- name"},
        {"foo\n", "1\n"},
        {"---\n", ""},
        {"---\n", "---\n---\n"},
        {"image", "# opcat: ignore[icon]\nimage"}};
    for (int round = 0; round < 200; ++round) {
        std::string text = good;
        const size_t count = 1 + random() % 4;
        for (size_t i = 0; i < count; ++i) {
            const auto& [from, to] = mistakes[random() % mistakes.size()];
            if (from == "\n") {
                text = replace_all(text, "\r\n", "\n");
                text = replace_all(text, from, to);
                continue;
            }
            const size_t at = text.find(from, random() % text.size());
            if (at != text.npos) text.replace(at, from.size(), to);
        }
        CAPTURE(text);
        for (const bool unsafe : {false, true}) {
            const Fixed once = fixed(text, unsafe, pool);
            const Fixed again = fixed(once.text, unsafe, pool);
            CHECK(again.text == once.text);
            CHECK(again.fixes == 0);
        }
    }
}

TEST_CASE("places are described by blob, field and item") {
    const LoadedCatalog loaded = load_text(good + "---\nschema: olm.channel\nname: [\n");
    Subjects subjects;
    subjects.add(loaded);
    const SourceFile& file = *loaded.catalog.storage.front()->files.front();
    struct Case {
        std::string_view at; // the text that the place is at
        std::string_view blob;
        std::string_view field;
        std::string_view item;
        std::string_view text;
    };
    const Case cases[] = {
        {"defaultChannel", "foo", "defaultChannel", "defaultChannel", ""},
        {"stable\n", "foo", "defaultChannel", "defaultChannel", "stable"},
        {"foo.v1.0.0", "stable", "entries[].replaces", "entries[foo.v1.1.0].replaces", "foo.v1.0.0"},
        {"packageName", "foo.v1.0.0", "properties[].value.packageName",
         "properties[olm.package].value.packageName", ""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.at);
        const Location where{&file, static_cast<uint32_t>(good.find(c.at)),
                             static_cast<uint32_t>(c.at.size())};
        const Subject subject = subjects.of(where);
        REQUIRE(subject.value != nullptr);
        CHECK(subject.name == c.blob);
        CHECK(subject.package == "foo");
        const FieldPath path = field_path(*subject.value, where);
        CHECK(path.field == c.field);
        CHECK(path.item == c.item);
        CHECK(path.text == c.text);
    }
    // Unreadable text is in no blob, and is grouped apart from packages.
    const Subject broken = subjects.of({&file, static_cast<uint32_t>(file.bytes().size() - 2), 1});
    CHECK(broken.value == nullptr);
    CHECK(broken.package == "foo");
    CHECK(subjects.of({}).value == nullptr);
}

TEST_CASE("fingerprints depend on the object of a finding, not on its place") {
    ThreadPool pool(1);
    const auto marks = [&](const std::string& text) {
        const LoadedCatalog loaded = load_text(text);
        const LintResult result = lint({{Source("c", loaded)}}, {}, pool);
        const std::vector<std::string> all = fingerprints(result.findings, result.subjects);
        return std::multiset<std::string>(all.begin(), all.end());
    };
    const std::string text = with("replaces", "replases") + copy_of_the_last_blob() + copy_of_the_last_blob();
    const auto before = marks(text);
    CHECK(before.size() >= 3);
    CHECK(std::set<std::string>(before.begin(), before.end()).size() == before.size());
    CHECK(marks("---\n# a comment\n\n" + text.substr(4)) == before);
    CHECK(marks(replace_all(text, "  replases: foo.v1.0.0\n", "\n  replases:   foo.v1.0.0 # why\n")) ==
          before);
    CHECK(marks(with("replaces", "replacess") + copy_of_the_last_blob() + copy_of_the_last_blob()) != before);
}

TEST_CASE("equal findings of a package are grouped, errors are not") {
    ThreadPool pool(1);
    std::string text = replace_all(good, "image:", "extra: 1\nmore: 2\nimage:");
    const auto folded = [&](const std::string& of) {
        const LoadedCatalog loaded = load_text(of);
        const LintResult result = lint({{Source("c", loaded)}}, {}, pool);
        std::string shown;
        for (const Diagnostic& finding : fold_alike(result.findings, result.subjects))
            shown += fmt::format("{} {}\n", finding.rule, finding.count);
        return shown;
    };
    CHECK(folded(text) == "unknown-field 2\nunknown-field 2\n");
    CHECK(folded(replace_all(good, "version: ", "version: v")) == "bundle-version 1\nbundle-version 1\n");
}
