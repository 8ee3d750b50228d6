// The recorded answers of operator-controller's resolver, next to the project.
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

} // namespace

TEST_CASE("OLM v1 resolves as recorded" * doctest::test_suite("recorded")) {
    const fs::path data = fs::path(OPCAT_SHARED) / "conformance";
    for (const auto& file : fs::directory_iterator(data / "resolve-v1")) {
        if (file.path().extension() != ".jsonl") continue;
        const std::vector<Json> recorded = lines_of(read_file(file.path(), file.path())->bytes());
        std::string requests;
        for (Json row : recorded) {
            for (Json& catalog : row["request"]["catalogs"])
                catalog["ref"] = (data / catalog["ref"].get<std::string>()).string();
            requests += row["request"].dump() + "\n";
        }
        const auto result = run_process({{OPCAT_BINARY, "resolve", "v1", "--batch", "-"}, requests});
        const std::vector<Json> answers = lines_of(result.out);
        REQUIRE(answers.size() == recorded.size());
        size_t different = 0;
        for (size_t i = 0; i < answers.size(); ++i) {
            const Json& wanted = recorded[i]["result"];
            const bool agrees = wanted.contains("panic")
                                    ? answers[i].contains("error") || answers[i].contains("bundle")
                                    : answers[i] == wanted;
            if (agrees) continue;
            if (++different <= 5) MESSAGE(recorded[i].dump() << " answered " << answers[i].dump());
        }
        CAPTURE(file.path());
        CHECK(different == 0);
    }
}
