// Covers lib/workspace: how things are opened, and who owns them. tests/cli and tests/registry open images,
// commits and templates with the binary.
#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/workspace/open.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <utility>

using namespace opcat;

namespace {

constexpr const char* text = "schema: olm.package\nname: foo\ndefaultChannel: absent\n";

Diagnostics findings_of_temporaries(ThreadPool& pool) {
    const TemporaryDirectory directory("/tmp");
    write_file(directory.path() / "catalog.yaml", text);
    return lint({{open(directory.path(), {}, pool)}}, {}, pool).findings;
}

} // namespace

TEST_CASE("findings keep the files that they are in") {
    ThreadPool pool(1);
    const Diagnostics findings = findings_of_temporaries(pool);
    REQUIRE(!findings.empty());
    CHECK(to_text(findings.front(), {}).find("defaultChannel: absent") != std::string::npos);
    Diagnostics others;
    others.append(findings_of_temporaries(pool));
    CHECK(place_of(others.front().where).ends_with("catalog.yaml:3:17"));
}

TEST_CASE("a source is one catalog, whoever holds it") {
    ThreadPool pool(1);
    const auto opened = [&] {
        OpenOptions options;
        options.standard_input = [] { return std::make_unique<SourceFile>("stdin", text); };
        return open("-", options, pool);
    };
    Source source = opened();
    CHECK(source.name() == "-");
    const Source copy = source;
    CHECK(&copy.packages() == &source.packages());
    CHECK(copy.packages().front().packages.front() == &copy.catalog().packages.front());
    // The other copy stays as it was.
    CHECK(std::move(source).take().catalog.packages.size() == 1);
    CHECK(copy.catalog().packages.front().name == "foo");
    // The last one gives what it has.
    Source last = opened();
    const Package* const package = &last.catalog().packages.front();
    const LoadedCatalog taken = std::move(last).take();
    CHECK(&taken.catalog.packages.front() == package);
}

TEST_CASE("without standard input, - is a path") {
    ThreadPool pool(1);
    CHECK_THROWS_WITH_AS((void)open("-", {}, pool), doctest::Contains("cannot read -:"), Error);
}

TEST_CASE("one reference that cannot be opened leaves the others") {
    const TemporaryDirectory directory("/tmp");
    write_file(directory.path() / "a.yaml", text);
    const std::string good = directory.path() / "a.yaml";
    ThreadPool pool(1);
    const std::vector<SourceOrError> opened =
        open_each_that_can({directory.path() / "absent", good}, {}, pool);
    REQUIRE(opened.size() == 2);
    CHECK_THROWS_AS(std::rethrow_exception(std::get<std::exception_ptr>(opened[0])), Error);
    CHECK(std::get<Source>(opened[1]).name() == good);
}

TEST_CASE("several references are one catalog, with the findings of all") {
    const TemporaryDirectory directory("/tmp");
    write_file(directory.path() / "a.yaml", text);
    write_file(directory.path() / "b.yaml", "schema: olm.package\nname: 1\n");
    ThreadPool pool(1);
    const Source all = open_together({directory.path() / "a.yaml", directory.path() / "b.yaml"}, {}, pool);
    CHECK(all.catalog().packages.size() == 1);
    CHECK(all.loaded().diagnostics.size() == 1);
}
