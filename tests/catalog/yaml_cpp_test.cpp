// yaml-cpp as an independent judge: what it reads from the YAML that opcat writes is what opcat reads from
// the JSON of the same catalog.
#include "../document/random_value.hpp"
#include "../document/yaml_cpp.hpp"
#include "catalog_text.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/yaml_writer.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace opcat;
using test::difference;
using test::is_beyond_yaml_cpp;

namespace {

// Compares what yaml-cpp reads from the catalog as YAML with what opcat reads from it as JSON.
std::string judge(const Catalog& catalog, ThreadPool& pool) {
    const std::vector<YAML::Node> nodes = YAML::LoadAll(written(catalog, Format::yaml, pool));
    const SourceFile json("f.json", written(catalog, Format::json, pool));
    Diagnostics problems;
    const std::vector<DocumentRange> documents = split_into_documents(json, problems);
    if (nodes.size() != documents.size())
        return fmt::format("{} documents and not {}", nodes.size(), documents.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
        Arena arena;
        Diagnostic problem;
        const auto value = read_document(json, documents[i], arena, problem);
        if (!value) return problem.message;
        if (auto found = difference(nodes[i], *value, fmt::format("document {}: ", i)); !found.empty())
            return found;
    }
    return {};
}

// Of a directory that holds catalogs: how many were judged.
size_t judge_all_in(const std::filesystem::path& directory, ThreadPool& pool) {
    size_t judged = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        if (!entry.is_directory()) continue;
        CAPTURE(entry.path().string());
        const LoadedCatalog loaded = load_catalog(entry.path(), pool);
        if (has_errors(loaded.diagnostics)) continue;
        CHECK(judge(loaded.catalog, pool) == "");
        ++judged;
    }
    return judged;
}

} // namespace

TEST_CASE("yaml-cpp reads our catalogs as they were written") {
    ThreadPool pool(1);
    CHECK(judge_all_in(OPCAT_TESTDATA "/catalogs", pool) > 5);
}

TEST_CASE("yaml-cpp reads the recorded catalogs as they were written" * doctest::test_suite("recorded")) {
    ThreadPool pool(2);
    size_t judged = 0;
    for (const char* kind : {"certified", "community"})
        for (const auto& version : std::filesystem::directory_iterator(
                 std::filesystem::path(OPCAT_SHARED "/conformance/catalogs") / kind))
            judged += judge_all_in(version.path(), pool);
    CHECK(judged > 10);
}

TEST_CASE("yaml-cpp reads strings that are hard to write as they were written") {
    const std::string_view texts[] = {
        "",       " ",      "~",      "null",   "true",         "y",     "no",   "On",    "0",
        "01",     "0x1F",   "0b1",    "1_000",  "1e3",          "-.inf", ".nan", "1:30",  "2021-01-02",
        "=",      "<<",     "-",      "- a",    "a: b",         "a #b",  "#",    "'",     "\"",
        "\\",     "@a",     "`a`",    "%a",     "!a",           "&a",    "*a",   "|",     ">",
        "[a]",    "{a}",    "a,b",    "---",    "...",          "a\nb",  "a\n",  "a\n\n", "\na",
        " a\nb",  "a \nb",  "\n",     "a\r\nb", "\t",           "a\tb",  "\x01", "\x7f",  "é",
        "\u00a0", "\u2028", "\ufeff", "😀",      "--- a\n--- b",
    };
    Arena arena;
    size_t judged = 0;
    for (const std::string_view text : texts) {
        for (const size_t words : {0, 40}) { // with a line that is folded
            std::string folded(text);
            for (size_t i = 0; i < words; ++i) folded += " word";
            CAPTURE(folded);
            const Member members[] = {
                {Value::of(std::string_view("key")), Value::of(std::string_view(folded))},
                {Value::of(std::string_view(folded)), Value::of(int64_t{1})}};
            const Value value = Value::of(arena.copy(std::span<const Member>(members)));
            std::string yaml;
            if (append_yaml(yaml, value)) continue; // a string that opm cannot write
            ++judged;
            CAPTURE(yaml);
            CHECK(difference(YAML::Load(yaml), value, "") == "");
        }
    }
    CHECK(judged > 100);
    judged = 0;
    RandomValues random(42);
    for (int i = 0; i < 3'000; ++i) {
        const Value value = random.object(3);
        std::string yaml;
        if (append_yaml(yaml, value) || is_beyond_yaml_cpp(yaml)) continue;
        ++judged;
        CAPTURE(yaml);
        CHECK(difference(YAML::Load(yaml), value, "") == "");
    }
    CHECK(judged > 1'000);
}
