#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/pages/findings.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace opcat;
using namespace opcat::pages;

namespace {

// A package in two files, with a bundle that has no image.
void write_package(const std::filesystem::path& directory, int number) {
    write_file(directory / fmt::format("{:03}-package.yaml", number),
               fmt::format("{{schema: olm.package, name: p{0}, defaultChannel: stable}}\n---\n{{schema: "
                           "olm.channel, package: p{0}, name: stable, entries: [{{name: p{0}.v1}}]}}\n",
                           number));
    write_file(directory / fmt::format("{:03}-bundle.yaml", 999 - number),
               fmt::format("{{schema: olm.bundle, package: p{0}, name: p{0}.v1, properties: [{{type: "
                           "olm.package, value: {{packageName: p{0}, version: 1.0.0}}}}]}}\n",
                           number));
}

std::vector<std::string> sorted(const std::vector<PageFinding>& findings) {
    std::vector<std::string> lines;
    for (const PageFinding& finding : findings)
        lines.push_back(
            fmt::format("{} {} {} {}", finding.place, finding.rule, finding.package, finding.name));
    std::sort(lines.begin(), lines.end());
    return lines;
}

} // namespace

TEST_CASE("a directory that is checked in parts has the findings of the whole") {
    const TemporaryDirectory directory("/tmp");
    const std::string root = directory.path().string();
    for (int i = 0; i < 200; ++i) write_package(directory.path(), i);
    write_file(directory.path() / "empty.yaml", "");
    ThreadPool pool(2);
    const auto in_parts = find_in_parts(root, {}, pool);
    REQUIRE(in_parts);
    CHECK(in_parts->size() >= 200);
    CHECK(sorted(*in_parts) == sorted(find_for_pages(Source(root, load_catalog(root, pool)), pool)));
    // What may be about several packages, or does not load, is not found in parts.
    write_file(directory.path() / "orphan.yaml", "{schema: olm.channel, package: gone, name: c}\n");
    CHECK_FALSE(find_in_parts(root, {}, pool));
}
