#include "edits.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lsp/catalog_analysis.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <map>
#include <set>
#include <string>
#include <utility>

using namespace opcat;
using namespace opcat::lsp;

namespace {

AnalysisSettings settings_of(std::string_view configuration) {
    Diagnostics problems;
    AnalysisSettings settings{
        read_configuration(SourceFile(".opcat.yaml", configuration), "/catalog", problems),
        std::make_shared<Schemas>()};
    REQUIRE(problems.empty());
    return settings;
}

constexpr std::string_view no_configuration = "{}";

// Two packages in four files, with findings of many kinds and places where an edit makes more.
std::map<std::string, std::string> example() {
    return {{"/catalog/bar/catalog.yaml", R"(schema: olm.package
name: bar
defaultChannel: stable
---
schema: olm.channel
package: bar
name: stable
entries:
  - name: bar.v1.0.0
  - name: bar.v1.1.0
    replaces: bar.v1.0.0
  - name: bar.v1.2.0
    replaces: bar.v1.1.0
    skipRange: ">=1.0.0 <1.2.0"
---
# opcat: ignore[image-tag, unknown-field]
schema: olm.bundle
package: bar
name: bar.v1.0.0
image: r.example/bar:v1
nonsense: true # opcat: ignore[key-duplicate]
properties:
  - type: olm.package
    value: {packageName: bar, version: 1.0.0}
  - type: olm.gvk
    value: {group: a.example, kind: Bar, version: v1}
---
schema: olm.bundle
package: bar
name: bar.v1.1.0
image: r.example/bar:v1.1.0
properties:
  - type: olm.package
    value:
      packageName: bar
      version: 1.1.0
---
schema: olm.bundle
package: bar
name: bar.v1.2.0
image: r.example/bar@sha256:0000000000000000000000000000000000000000000000000000000000000000
properties:
  - type: olm.package
    value: {packageName: bar, version: 1.2.0}
  - type: olm.package.required
    value: {packageName: foo, versionRange: ">=1 <2"}
  - type: olm.maxOpenShiftVersion
    value: 4.10
)"},
            {"/catalog/bar/deprecations.yaml", R"(---
schema: olm.deprecations
package: bar
entries:
  - reference: {schema: olm.bundle, name: bar.v1.0.0}
    message: "ä old \U0001F600"
  - reference: {schema: olm.channel, name: stable}
    message: old
---
schema: olm.chanel
package: bar
name: wrong
)"},
            {"/catalog/bar.json", R"({"schema": "olm.package", "name": "baz", "defaultChannel": "a"}
{
  "schema": "olm.channel", "package": "baz", "name": "a",
  "entries": [{"name": "baz.v1.0.0"}, {"name": "baz.v1.0.0"}]
}
{"schema": "olm.bundle", "package": "baz", "name": "baz.v1.0.0", "image": "r.example/baz",
 "properties": [{"type": "olm.package", "value": {"packageName": "baz", "version": "1.0"}}]}
)"},
            {"/catalog/foo.yaml",
             "schema: olm.package\r\nname: foo\r\ndefaultChannel: none\r\n---\r\nschema: "
             "olm.channel\r\npackage: foo\r\nname: beta\r\nentries: [{name: x}]\r\n"}};
}

// `place` turns a place into text.
template <class PlaceText>
std::string shown_finding(const Diagnostic& finding, PlaceText place, bool with_edits = true) {
    // Line breaks are changed in all of a file, which is in pieces here.
    const bool has_fix = finding.rule != "line-breaks";
    std::string text =
        fmt::format("{} {} {}: {}; {}; {}", place(finding.where), to_string(finding.severity), finding.rule,
                    finding.message, finding.help, has_fix ? finding.fix.title : std::string());
    for (const Note& note : finding.notes) text += fmt::format("\n  {} {}", note.message, place(note.where));
    if (with_edits && has_fix)
        for (const TextEdit& edit : finding.fix.edits)
            text += fmt::format("\n  {}+{} -> {}", place(edit.where), edit.where.length, edit.text);
    return text;
}

std::string place_in_catalog(const Location& where, const CatalogAnalysis& analysis) {
    const auto at = analysis.place_of(where, Encoding::utf8);
    return at ? fmt::format("{}:{}:{}", at->path, at->range.begin.line, at->range.begin.character) : "";
}

std::multiset<std::string> found_by(const CatalogAnalysis& analysis) {
    std::multiset<std::string> all;
    for (const auto& [path, file] : analysis.files())
        for (const Diagnostic* finding : analysis.findings(path))
            all.insert(shown_finding(
                *finding, [&](const Location& where) { return place_in_catalog(where, analysis); }));
    return all;
}

template <class Choose>
std::multiset<std::string> found_in(const CatalogAnalysis& analysis, Choose choose) {
    std::multiset<std::string> all;
    for (const auto& [path, file] : analysis.files())
        for (const auto& piece : file.pieces())
            if (choose(*piece))
                for (const Diagnostic& finding : piece->selected)
                    if (finding.rule != "line-breaks")
                        all.insert(shown_finding(
                            finding, [&](const Location& where) { return place_in_catalog(where, analysis); },
                            false));
    return all;
}

std::set<std::string> errors_of_loading(const CatalogAnalysis& analysis) {
    std::set<std::string> all;
    for (const auto& [path, file] : analysis.files()) {
        bool has_syntax_error = false;
        for (const auto& piece : file.pieces())
            for (const Diagnostic& finding : piece->loaded.diagnostics) {
                if (finding.severity != Severity::error) continue;
                if (file.is_json() && finding.rule == "syntax" && std::exchange(has_syntax_error, true))
                    continue;
                all.insert(std::string(finding.rule) + " " + place_in_catalog(finding.where, analysis));
            }
    }
    return all;
}

struct Fresh {
    std::multiset<std::string> findings;
    std::set<std::string> errors_of_loading; // their rules and places
};

std::string place_in_file(const Location& where) {
    if (!where) return "";
    const LineIndex lines(where.file->bytes());
    const Place at = lines.place(where.file->bytes(), where.offset, Encoding::utf8);
    return fmt::format("{}:{}:{}", where.file->path(), at.line, at.character);
}

Fresh fresh_analysis(const std::map<std::string, std::string>& texts, const AnalysisSettings& settings,
                     ThreadPool& pool) {
    std::map<std::string, std::unique_ptr<SourceFile>, WalkOrder> files;
    for (const auto& [path, text] : texts) files[path] = std::make_unique<SourceFile>(path, text);
    std::vector<std::unique_ptr<SourceFile>> in_order;
    for (auto& [path, file] : files) in_order.push_back(std::move(file));
    const LoadedCatalog loaded = load_catalog(std::move(in_order), pool);
    Fresh fresh;
    for (const Diagnostic& finding :
         lint({{Source("/catalog", loaded), &settings.configuration, settings.schemas.get()}}, {}, pool)
             .findings)
        if (finding.where) fresh.findings.insert(shown_finding(finding, place_in_file));
    for (const Diagnostic& finding : loaded.diagnostics)
        if (finding.severity == Severity::error)
            fresh.errors_of_loading.insert(std::string(finding.rule) + " " + place_in_file(finding.where));
    return fresh;
}

// The replacements of documents that do not load are written in their place, each piece in a file of its own.
std::multiset<std::string> fresh_analysis_of_stand_ins(const CatalogAnalysis& analysis, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    struct From {
        const Piece* piece;
        uint32_t lines; // of it that were left out
    };
    std::map<const SourceFile*, From> pieces;
    const auto add = [&](const std::string& path, const Piece& piece, bool stands_in) {
        std::string_view text = piece.bytes();
        uint32_t left_out = 0;
        if (!piece.begins_file && !piece.broken && text.starts_with("---")) {
            const size_t next = std::min(text.find('\n'), text.size() - 1) + 1;
            if (next == text.size()) return; // nothing is after it
            // A file that begins with a brace would be JSON.
            const size_t content = text.find_first_not_of(" \t\r\n", next);
            if (content == text.npos || text[content] != '{') {
                text.remove_prefix(next);
                left_out = 1;
            }
        }
        files.push_back(std::make_unique<SourceFile>(path, text));
        if (!stands_in && !piece.broken) pieces[files.back().get()] = {&piece, left_out};
    };
    for (const auto& [path, file] : analysis.files())
        for (const auto& piece : file.pieces()) {
            if (piece->stands_for_itself()) add(path, *piece, false);
            for (const auto& stand_in : piece->stand_ins) add(path, *stand_in, true);
        }
    const LoadedCatalog loaded = load_catalog(std::move(files), pool);
    std::multiset<std::string> all;
    const auto place = [&](const Location& where) -> std::string {
        const auto piece = pieces.find(where.file);
        if (piece == pieces.end()) return "";
        const Place at =
            LineIndex(where.file->bytes()).place(where.file->bytes(), where.offset, Encoding::utf8);
        const auto& [from, left_out] = piece->second;
        return fmt::format("{}:{}:{}", where.file->path(), at.line + left_out + from->first_line,
                           at.character);
    };
    const AnalysisSettings& settings = analysis.settings();
    for (const Diagnostic& finding :
         lint({{Source("/catalog", loaded), &settings.configuration, settings.schemas.get()}},
              {.selection = {.consequences = true}}, pool)
             .findings)
        if (pieces.contains(finding.where.file) && finding.rule != "line-breaks")
            all.insert(shown_finding(finding, place, false));
    return all;
}

std::string difference(const std::multiset<std::string>& found, const std::multiset<std::string>& expected) {
    std::string text;
    for (const std::string& one : found)
        if (found.count(one) != expected.count(one)) text += "found " + one + "\n";
    for (const std::string& one : expected)
        if (found.count(one) != expected.count(one)) text += "expected " + one + "\n";
    return text;
}

} // namespace

TEST_CASE("files are in the order of the walk") {
    CHECK(WalkOrder()("a/b", "a.yaml"));
    CHECK_FALSE(WalkOrder()("a.yaml", "a/b"));
    CHECK(WalkOrder()("a", "a/b"));
    CHECK_FALSE(WalkOrder()("a", "a"));
    CHECK(WalkOrder()("a", "\u00e4"));
}

TEST_CASE("after every edit the findings are those of a fresh analysis") {
    ThreadPool pool(2);
    const struct {
        std::string_view what;
        std::string_view configuration;
    } projects[] = {{"as it is", no_configuration},
                    {"levels",
                     "{rules: {graph-unreachable: off, unknown-field: error}, overrides: [{packages: [ba*], "
                     "rules: {syntax: warning, key-duplicate: error}}]}"}};
    for (const auto& project : projects) {
        const AnalysisSettings settings = settings_of(project.configuration);
        for (unsigned seed = 1; seed <= 12; ++seed) {
            std::map<std::string, std::string> texts = example();
            CatalogAnalysis analysis(settings, pool);
            for (const auto& [path, text] : texts) analysis.put(std::make_unique<SourceFile>(path, text));
            analysis.update();
            CHECK(difference(found_by(analysis), fresh_analysis(texts, settings, pool).findings) == "");
            for (const auto& [path, text] : texts) analysis.open(path, text);
            RandomEdits edits(seed);
            size_t compared = 0;
            for (int i = 0; i < 150; ++i) {
                auto text = texts.begin();
                std::advance(text, edits.below(texts.size()));
                // From time to time everything is valid again.
                if (i % 25 == 24) {
                    texts = example();
                    text = texts.begin();
                    for (const auto& [path, whole] : texts) analysis.open(path, whole);
                } else {
                    const RandomEdits::Edit edit = edits.next(text->second);
                    const LineIndex lines(text->second);
                    const Encoding encoding = i % 2 == 0 ? Encoding::utf16 : Encoding::utf8;
                    analysis.edit(text->first,
                                  {lines.place(text->second, edit.begin, encoding),
                                   lines.place(text->second, edit.end, encoding)},
                                  edit.text, encoding);
                    text->second.replace(edit.begin, edit.end - edit.begin, edit.text);
                }
                CAPTURE(project.what);
                CAPTURE(seed);
                CAPTURE(i);
                CAPTURE(text->first);
                CAPTURE(text->second);
                analysis.update();
                REQUIRE(analysis.find(text->first)->text() == text->second);
                const Fresh fresh = fresh_analysis(texts, settings, pool);
                const auto found = found_by(analysis);
                bool stands_in = false;
                bool broken_json = false; // in a file of its own it might be YAML
                for (const auto& [path, file] : analysis.files())
                    for (const auto& piece : file.pieces()) {
                        stands_in |= !piece->stands_for_itself();
                        broken_json |= piece->broken && piece->stands_for_itself() && file.is_json();
                    }
                if (!stands_in) {
                    ++compared;
                    REQUIRE(difference(found, fresh.findings) == "");
                    continue;
                }
                REQUIRE(errors_of_loading(analysis) == fresh.errors_of_loading);
                if (broken_json) continue;
                const auto others = found_in(analysis, [](const Piece& piece) { return !piece.broken; });
                const auto expected = fresh_analysis_of_stand_ins(analysis, pool);
                REQUIRE(difference(others, expected) == "");
            }
            CHECK(compared > 5);
        }
    }
}

TEST_CASE("with a line too many or too few the findings are those of a fresh analysis") {
    ThreadPool pool(2);
    const AnalysisSettings settings =
        settings_of("{overrides: [{packages: [bar], rules: {schema-missing: warning}}]}");
    const auto check = [&](const std::string& path, const std::string& text) {
        std::map<std::string, std::string> texts = example();
        const std::string before = std::exchange(texts[path], text);
        const Fresh fresh = fresh_analysis(texts, settings, pool);
        CAPTURE(path);
        CAPTURE(text);
        CatalogAnalysis analysis(settings, pool);
        for (const auto& [name, whole] : texts) analysis.open(name, whole);
        analysis.update();
        CHECK(difference(found_by(analysis), fresh.findings) == "");
        // And back: nothing of it stays.
        analysis.open(path, before);
        analysis.update();
        CHECK(difference(found_by(analysis), fresh_analysis(example(), settings, pool).findings) == "");
    };
    for (const auto& [path, text] : example())
        for (size_t begin = 0; begin < text.size();) {
            const size_t next = text.find('\n', begin) + 1;
            check(path, text.substr(0, begin) + "---\n" + text.substr(begin));
            check(path, text.substr(0, begin) + text.substr(next));
            begin = next;
        }
}

TEST_CASE("a separator that is typed or removed is seen at once") {
    ThreadPool pool(1);
    const AnalysisSettings settings = settings_of(no_configuration);
    const std::string path = "/catalog/a.yaml";
    const std::string begin = "schema: olm.package\nname: foo\n";
    const std::string rest = "defaultChannel: stable\n---\nschema: olm.channel\npackage: foo\nname: "
                             "stable\nentries: [{name: foo.v1}]\n---\nschema: olm.bundle\npackage: "
                             "foo\nname: foo.v1\nimage: r/foo:v1\nproperties: [{type: olm.package, value: "
                             "{packageName: foo, version: 1.0.0}}]\n";
    CatalogAnalysis analysis(settings, pool);
    analysis.open(path, begin + rest);
    analysis.update();
    CHECK(analysis.findings(path).empty());
    analysis.edit(path, {{2, 0}, {2, 0}}, "---\n", Encoding::utf8);
    analysis.update();
    REQUIRE(analysis.findings(path).size() == 1);
    CHECK(analysis.findings(path).front()->message ==
          "this line cuts the olm.package \"foo\" before it in two");
    // The blob before it changes, the rest does not.
    analysis.edit(path, {{0, 0}, {0, 0}}, "defaultChannel: stable\n", Encoding::utf8);
    analysis.update();
    REQUIRE(analysis.findings(path).size() == 1);
    CHECK(analysis.findings(path).front()->message == "a blob needs a schema");
    analysis.edit(path, {{3, 0}, {5, 0}}, "", Encoding::utf8);
    analysis.update();
    CHECK(analysis.findings(path).empty());
}

TEST_CASE("after the text of a document is removed the findings are those of the new text") {
    ThreadPool pool(2);
    const AnalysisSettings settings = settings_of(no_configuration);
    const std::string path = "/catalog/a.yaml";
    std::string text =
        "schema: example.a\n---\nschema: example.b\n---\n# about it\nschema: example.c\n---\nschema: "
        "example.d\n";
    CatalogAnalysis analysis(settings, pool);
    analysis.open(path, text);
    const auto replace = [&](std::string_view old, const std::string& with) {
        const size_t begin = text.rfind(old);
        REQUIRE(begin != text.npos);
        const LineIndex lines(text);
        analysis.edit(
            path,
            {lines.place(text, begin, Encoding::utf8), lines.place(text, begin + old.size(), Encoding::utf8)},
            with, Encoding::utf8);
        text.replace(begin, old.size(), with);
        analysis.update();
        CHECK(analysis.find(path)->text() == text);
        CHECK(difference(found_by(analysis), fresh_analysis({{path, text}}, settings, pool).findings) == "");
    };
    // Between two separators nothing is left, and then only a comment.
    replace("schema: example.b\n", "");
    replace("schema: example.c\n", "");
    replace("# about it\n", "schema: example.e\n");
    CHECK(analysis.findings(path).empty());
}
