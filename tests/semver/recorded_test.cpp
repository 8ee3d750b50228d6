// The recorded answers of the Go libraries, next to the project.
#include "opcat/base/file.hpp"
#include "opcat/base/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

using namespace opcat;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::vector<Json> lines_of(std::string_view bytes) {
    std::istringstream stream{std::string(bytes)};
    std::vector<Json> lines;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) lines.push_back(Json::parse(line));
    return lines;
}

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
    const std::vector<std::string> answers = {"ok",    "error", "cmp",   "major",  "minor",
                                              "patch", "pre",   "build", "string", "rel"};
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".jsonl") continue;
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
}
