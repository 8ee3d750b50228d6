#include "opcat/base/error.hpp"
#include "whole.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::test;
namespace fs = std::filesystem;

namespace {

std::string report(const std::string& findings, int errors) {
    return fmt::format(
        R"({{"schema":"opcat.findings.v1","summary":{{"errors":{},"warnings":1,"notes":0}},"findings":[{}]}})",
        errors, findings);
}

} // namespace

TEST_CASE("merged shards of catalogs are byte for byte the output of one machine") {
    ThreadPool pool(1);
    for (unsigned seed = 0; seed < 150; ++seed) {
        CAPTURE(seed);
        Choices choices(seed);
        const auto [shards, whole] = render_in_shards(choices, pool);
        CHECK(shards == whole);
    }
}

TEST_CASE("findings are sorted by place, and their counts added") {
    const auto finding = [](const char* file, int offset, const char* severity) {
        return fmt::format(R"({{"rule":"r","severity":"{}","message":"{}{}","file":"{}",)"
                           R"("range":{{"start":{{"offset":{}}}}}}})",
                           severity, file, offset, file, offset);
    };
    const TemporaryDirectory directory(fs::temp_directory_path());
    PartWriter first(directory.path(), {0, 2}, {ShardOutput::findings, "1", "x", 2});
    first.begin(1, "b");
    first.add(report(finding("b.yaml", 9, "error") + "," + finding("b.yaml", 10, "warning"), 1));
    first.commit();
    PartWriter second(directory.path(), {1, 2}, {ShardOutput::findings, "1", "x", 2});
    second.begin(0, "a");
    second.add(report(
        R"({"rule":"file","severity":"error","message":"nowhere"},)" + finding("a.yaml", 70, "warning"), 1));
    second.commit();
    const std::string text = merged(directory.path());
    size_t at = 0;
    for (const char* expected :
         {"\"errors\": 2", "\"warnings\": 2", "nowhere", "a.yaml70", "b.yaml9", "b.yaml10"}) {
        CAPTURE(expected);
        at = text.find(expected, at);
        REQUIRE(at != text.npos);
    }
}

TEST_CASE("damaged findings are refused") {
    const std::string too_deep =
        R"({"summary":{},"findings":[{"x":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}]}";
    for (const char* text : {"", "[]", "{}", R"({"summary":{},"findings":{}})",
                             R"({"summary":{},"findings":[1]})", R"({"summary":{},"findings":[{"file":1}]})",
                             R"({"summary":{},"findings":[{"range":{"start":{"offset":"x"}}}]})",
                             R"({"summary":{"errors":"many"},"findings":[]})", too_deep.c_str()}) {
        CAPTURE(text);
        const TemporaryDirectory directory(fs::temp_directory_path());
        PartWriter writer(directory.path(), {0, 1}, {ShardOutput::findings, "1", "x", 2});
        writer.begin(0, "good");
        writer.add(report("", 1));
        writer.begin(1, "damaged");
        writer.add(text);
        writer.commit();
        CHECK_THROWS_AS(merged(directory.path()), Error);
    }
}

TEST_CASE("blobs of a kind that this opcat does not know are refused") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    PartWriter writer(directory.path(), {0, 1}, {ShardOutput::blobs, "1", "x", 1});
    writer.begin(0, "a");
    writer.add("{}\n", 200, "p", "n");
    writer.commit();
    CHECK_THROWS_WITH_AS(merged(directory.path()), doctest::Contains("it has a blob of an unknown kind"),
                         Error);
}
