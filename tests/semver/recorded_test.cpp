// The recorded answers of the Go libraries, next to the project.
#include "../json_lines.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/process.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace opcat;
using test::Json;
using test::lines_of;
namespace fs = std::filesystem;

namespace {

bool agrees(const Json& answer, const Json& recorded, const std::vector<std::string>& names) {
    if (recorded.contains("panic")) return answer.contains("error");
    if (answer.contains("error") != recorded.contains("error")) return false;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return !recorded.contains(name) || (answer.contains(name) && answer[name] == recorded[name]);
    });
}

} // namespace

TEST_CASE("versions and ranges are judged as the Go libraries do it" * doctest::test_suite("recorded")) {
    const fs::path folder = fs::path(OPCAT_SHARED) / "conformance" / "semver";
    size_t files = 0;
    const std::vector<std::string> answers = {"ok",    "error", "cmp",   "major",  "minor",
                                              "patch", "pre",   "build", "string", "rel"};
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".jsonl") continue;
        ++files;
        const std::vector<Json> recorded = lines_of(read_file(entry.path(), entry.path())->bytes());
        std::string questions;
        for (Json question : recorded) {
            for (const std::string& name : answers) question.erase(name);
            questions += question.dump() + "\n";
        }
        const auto result = run_process({{OPCAT_BINARY, "semver", "--batch", "-"}, questions});
        const std::vector<Json> given = lines_of(result.out);
        REQUIRE(given.size() == recorded.size());
        for (size_t i = 0; i < given.size(); ++i) {
            if (agrees(given[i], recorded[i], answers)) continue;
            CAPTURE(recorded[i].dump());
            FAIL_CHECK(given[i].dump());
        }
    }
    CHECK(files > 0);
}
