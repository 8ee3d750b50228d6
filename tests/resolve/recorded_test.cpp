// The recorded answers of operator-controller's resolver, next to the project.
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

TEST_CASE("OLM v1 resolves as recorded" * doctest::test_suite("recorded")) {
    const fs::path data = fs::path(OPCAT_SHARED) / "conformance";
    size_t files = 0;
    for (const auto& file : fs::directory_iterator(data / "resolve-v1")) {
        if (file.path().extension() != ".jsonl") continue;
        ++files;
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
    CHECK(files > 0);
}
