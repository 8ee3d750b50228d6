// `opcat semver` as users and scripts call it.
#include "opcat/base/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace opcat;

namespace {

ProcessResult opcat_semver(std::vector<std::string> arguments, std::string_view input = {}) {
    arguments.insert(arguments.begin(), {OPCAT_BINARY, "semver"});
    return run_process({std::move(arguments), input});
}

} // namespace

TEST_CASE("match says for each version whether it is in the range") {
    const auto all = opcat_semver({"match", ">=1.0.0 <2.0.0", "1.5.0", "2.0.0-rc.1"});
    CHECK(all.exit_status == 0);
    CHECK(all.out == "1.5.0       yes\n2.0.0-rc.1  yes\n");

    const auto some = opcat_semver({"match", "<1.0.0 || >=2.0.0", "0.1.0", "1.5.0"});
    CHECK(some.exit_status == 1);
    CHECK(some.out == "0.1.0  yes\n1.5.0  no: ruled out by <1.0.0 || >=2.0.0\n");

    const auto other = opcat_semver({"match", "--dialect", "masterminds", "^1.2", "1.9.0", "1.9.0-rc.1"});
    CHECK(other.exit_status == 1);
    CHECK(other.out == "1.9.0       yes\n1.9.0-rc.1  no: ruled out by ^1.2 (takes no prereleases)\n");
}

TEST_CASE("match writes JSON") {
    const auto result = opcat_semver({"match", "-o", "json", "1.x", "1.5.0", "2.0.0"});
    CHECK(result.exit_status == 1);
    CHECK(nlohmann::json::parse(result.out) == nlohmann::json::parse(R"({
        "schema": "opcat.semver-match.v1", "dialect": "blang", "range": "1.x",
        "versions": [{"version": "1.5.0", "matches": true},
                     {"version": "2.0.0", "matches": false, "ruledOutBy": ["<2.0.0"]}]})"));
}

TEST_CASE("match shows all invalid ranges and versions, with their places") {
    const auto result = opcat_semver({"match", ">=1.0.0, <2.0.0", "1.0.0", "v1.2", "1.2.03"});
    CHECK(result.exit_status == 2);
    CHECK(result.out.empty());
    CHECK(
        result.err ==
        R"(range:1:7: error: not a blang range: Could not parse Range ">=1.0.0,": Could not parse version "1.0.0," in ">=1.0.0,": Invalid character(s) found in patch number "0," [invalid-range]
    1 | >=1.0.0, <2.0.0
      |       ^~
  help: it is a range with --dialect masterminds
version:1:5: error: not a version: No Major.Minor.Patch elements found [invalid-version]
    1 | v1.2
      |     ^
  help: did you mean 1.2.0?
version:1:5: error: not a version: Patch number must not contain leading zeroes "03" [invalid-version]
    1 | 1.2.03
      |     ^~
  help: did you mean 1.2.3?
)");
}

TEST_CASE("a range that makes OLM crash is an error") {
    const auto result = opcat_semver({"match", "1.0.0 || || 2.0.0", "2.0.0"});
    CHECK(result.exit_status == 2);
    CHECK(result.err.find("range:1:10: error: an alternative without comparators") == 0);
}

TEST_CASE("sort takes versions from the command line or from standard input") {
    CHECK(opcat_semver({"sort", "1.10.0", "1.9.0", "1.10.0-rc.1", "1.9.0+2"}).out ==
          "1.9.0\n1.9.0+2\n1.10.0-rc.1\n1.10.0\n");
    CHECK(opcat_semver({"sort", "--reverse"}, "1.0.0\r\n\n  2.0.0").out == "2.0.0\n1.0.0\n");
    const auto wrong = opcat_semver({"sort"}, "1.0.0\n1.x\n");
    CHECK(wrong.exit_status == 2);
    CHECK(wrong.out.empty());
    CHECK(wrong.err.find("stdin:2:4: error: not a version") == 0);
}

TEST_CASE("a batch continues after a bad line, and keeps the fields of the lines") {
    const auto result = opcat_semver(
        {"--batch", "-"}, "{\"lib\": \"blang\", \"range\": \"1.x\", \"version\": \"1.5.0\", \"id\": 7}\n"
                          "\n"
                          "nonsense\n"
                          "{\"lib\": \"blang\"}\n"
                          "{\"lib\": \"basic\"}\n"
                          "{\"lib\": \"blang-compare\", \"a\": \"1.0.0\", \"b\": \"2.0.0\"}");
    CHECK(result.exit_status == 1);
    CHECK(result.err == "warning: 3 of 5 lines could not be answered\n");
    CHECK(result.out == "{\"lib\":\"blang\",\"range\":\"1.x\",\"version\":\"1.5.0\",\"id\":7,\"ok\":true}\n"
                        "{\"error\":\"line 3: the line is not a JSON object\"}\n"
                        "{\"error\":\"line 4: the question needs \\\"range\\\", a string\"}\n"
                        "{\"error\":\"line 5: there is no lib \\\"basic\\\"\"}\n"
                        "{\"lib\":\"blang-compare\",\"a\":\"1.0.0\",\"b\":\"2.0.0\",\"cmp\":-1}\n");
}

TEST_CASE("a batch survives deep nesting") {
    const std::string deep = "{\"lib\": " + std::string(200000, '[') + std::string(200000, ']') + "}\n";
    const auto result = opcat_semver({"--batch", "-"}, deep);
    CHECK(result.exit_status == 1);
    CHECK(result.out == "{\"error\":\"line 1: the question needs \\\"lib\\\", a string\"}\n");
}

TEST_CASE("each command has help with an example") {
    for (const std::vector<std::string>& command : {std::vector<std::string>{}, {"match"}, {"sort"}}) {
        auto arguments = command;
        arguments.emplace_back("--help");
        const auto help = opcat_semver(arguments);
        CHECK(help.exit_status == 0);
        CHECK(help.out.find("Example") != std::string::npos);
    }
    CHECK(opcat_semver({}).exit_status == 2);
    CHECK(opcat_semver({"--batch", "no-such-file"}).exit_status == 3);
}
