#include "../catalog/catalog_text.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/shard/merge.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <random>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

// Few names, so that many blobs have the same one, which shows the order of opm's unstable sort.
std::string random_catalog(std::mt19937& random) {
    const auto pick = [&](const char* letters) { return letters[random() % 3]; };
    std::string text;
    for (size_t i = random() % 40; i > 0; --i) {
        const char package = pick("pq ");
        const std::string in_package = package == ' ' ? "" : fmt::format(", package: {}", package);
        switch (random() % 5) {
        case 0:
            text += fmt::format("---\n{{schema: olm.package, name: {}, description: d{}}}\n", pick("pqr"),
                                random());
            break;
        case 1:
            text += fmt::format("---\n{{schema: olm.channel, name: {}{}, entries: [{{name: e{}}}]}}\n",
                                pick("abc"), in_package, random());
            break;
        case 2:
            text += fmt::format("---\n{{schema: olm.bundle, name: {}, image: 'r.example/i:{}'{}}}\n",
                                pick("xyz"), random(), in_package);
            break;
        case 3:
            text += fmt::format("---\n{{schema: olm.deprecations, entries: [{{message: m{}}}]{}}}\n",
                                random(), in_package);
            break;
        default:
            text += fmt::format("---\n{{schema: other.{}, n: {}{}}}\n", pick("abc"), random(), in_package);
        }
    }
    return text;
}

void add_blobs(PartWriter& writer, const Catalog& catalog, Format format) {
    for (const AnyBlob& blob : blobs_of(catalog)) {
        std::string text;
        append_blob(text, blob, format);
        const BlobKey key = key_of(blob);
        writer.add(text, static_cast<uint8_t>(key.kind), key.package, key.name);
    }
}

std::string merged(const fs::path& directory) {
    std::vector<Part> parts;
    for (const fs::path& file : find_parts(directory)) parts.push_back(read_part(file));
    require_whole_run(parts);
    std::string text;
    merge_parts(parts, [&](std::string_view piece) { text += piece; });
    return text;
}

std::string report(const std::string& findings, int errors) {
    return fmt::format(
        R"({{"schema":"opcat.findings.v1","summary":{{"errors":{},"warnings":1,"notes":0}},"findings":[{}]}})",
        errors, findings);
}

} // namespace

TEST_CASE("merged shards of catalogs are byte for byte the output of one machine") {
    ThreadPool pool(1);
    std::mt19937 random(28);
    for (int round = 0; round < 150; ++round) {
        CAPTURE(round);
        const Format format = round % 2 == 0 ? Format::json : Format::yaml;
        std::vector<std::string> texts(1 + random() % 12);
        std::vector<std::string> names;
        for (std::string& text : texts) {
            text = random_catalog(random);
            names.push_back(fmt::format("catalog-{}", names.size()));
        }
        Catalog whole;
        for (const std::string& text : texts) append(whole, std::move(load_text(text, pool).catalog));
        const TemporaryDirectory directory(fs::temp_directory_path());
        const unsigned shards = static_cast<unsigned>(1 + random() % 5);
        for (unsigned index = 0; index < shards; ++index) {
            PartWriter writer(directory.path(), {index, shards},
                              {ShardOutput::blobs, "1", "x", texts.size()});
            for (const size_t item : items_of({index, shards}, names)) {
                writer.begin(item, names[item]);
                add_blobs(writer, load_text(texts[item], pool).catalog, format);
            }
            writer.commit();
        }
        CHECK(merged(directory.path()) == written(whole, format, pool));
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
    for (const char* text : {"", "[]", "{}", R"({"summary":{},"findings":{}})",
                             R"({"summary":{},"findings":[1]})", R"({"summary":{},"findings":[{"file":1}]})",
                             R"({"summary":{},"findings":[{"range":{"start":{"offset":"x"}}}]})",
                             R"({"summary":{"errors":"many"},"findings":[]})"}) {
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
