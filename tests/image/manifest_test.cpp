#include "opcat/image/manifest.hpp"
#include "tar_builder.hpp"

using namespace opcat;
using namespace opcat::image;

namespace {

const std::string digest = "sha256:" + std::string(64, 'a');
const std::string descriptor = R"({"digest":")" + digest + R"(","size":7})";

std::string fault(const std::string& json) {
    return error_of([&] { parse_manifest(json); });
}

IndexEntry entry(const std::string& platform, std::map<std::string, std::string> annotations = {}) {
    IndexEntry e{{digest, 1}, std::nullopt, std::move(annotations)};
    if (!platform.empty()) e.platform = required(Platform::parse(platform));
    return e;
}

} // namespace

TEST_CASE("manifests of both kinds are read") {
    const auto manifest = parse_manifest(R"({"schemaVersion":2,"config":)" + descriptor + R"(,"layers":[)" +
                                         descriptor + "," + descriptor + "]}");
    REQUIRE(std::holds_alternative<Manifest>(manifest));
    CHECK(std::get<Manifest>(manifest).layers.size() == 2);
    CHECK(std::get<Manifest>(manifest).config.size == 7);
    const auto index = parse_manifest(
        R"({"mediaType":"application/vnd.docker.distribution.manifest.list.v2+json","manifests":[{"digest":")" +
        digest + R"(","size":1,"platform":{"os":"linux","architecture":"arm","variant":"v7"}}]})");
    REQUIRE(std::holds_alternative<Index>(index));
    CHECK(std::get<Index>(index).entries.at(0).platform->to_string() == "linux/arm/v7");
}

TEST_CASE("an invalid manifest is an error with the reason") {
    CHECK(fault("") == "the manifest is not a JSON object");
    CHECK(fault("[]") == "the manifest is not a JSON object");
    CHECK(fault("{\"a\":") == "the manifest is not a JSON object");
    CHECK(fault(std::string(100'000, '[')) == "the manifest is not a JSON object");
    std::string deep = "{\"a\":";
    for (int i = 0; i < 50'000; ++i) deep += "[";
    for (int i = 0; i < 50'000; ++i) deep += "]";
    CHECK(fault(deep + "}") == "the manifest is not a JSON object");
    CHECK(fault("\n<!DOCTYPE html><html>") == "the manifest is an HTML page");
    CHECK(fault("{}") == "the manifest has no list of layers");
    CHECK(fault(R"({"schemaVersion":1})").starts_with("the manifest is of Docker's schema 1"));
    CHECK(fault(R"({"manifests":[],"layers":[]})").starts_with("the manifest has both"));
    CHECK(fault(R"({"layers":[]})") == "the configuration in the manifest is missing or no object");
    CHECK(fault(R"({"layers":[],"config":{"digest":"sha256:../../x","size":1}})") ==
          "the digest of the configuration in the manifest is \"sha256:../../x\", not \"sha256:\" and 64 "
          "hexadecimal digits");
    CHECK(fault(R"({"layers":[{"digest":")" + digest + R"(","size":-1}],"config":)" + descriptor + "}") ==
          "the size of layer 1 in the manifest is not a number");
    const auto many = [](size_t count) {
        std::string list;
        for (size_t i = 0; i < count; ++i) list += (i > 0 ? "," : "") + descriptor;
        return list;
    };
    CHECK(fault(R"({"config":)" + descriptor + R"(,"layers":[)" + many(1001) + "]}") ==
          "the manifest has 1001 layers, more than the limit of 1000");
    CHECK(fault(R"({"config":)" + descriptor + R"(,"layers":[)" + many(1000) + "]}") == "no error");
    CHECK(fault(R"({"manifests":[)" + many(10'001) + "]}") ==
          "the image index has 10001 entries, more than the limit of 10000");
    CHECK(fault(R"({"mediaType":"application/vnd.oci.image.index.v1+json"})") ==
          "the image index has no list of manifests");
}

TEST_CASE("the configuration gives labels and platform") {
    const Config config =
        parse_config(R"({"os":"linux","architecture":"amd64","config":{"Labels":{"a":"b","n":1}}})");
    CHECK(config.labels == Labels{{"a", "b"}});
    CHECK(config.platform->to_string() == "linux/amd64");
    CHECK(parse_config("{\"config\":null}").labels.empty());
    CHECK_THROWS(parse_config("no"));
}

TEST_CASE("the platform is chosen from an index") {
    const std::string here = Platform::here().to_string();
    const std::map<std::string, std::string> attestation{
        {"vnd.docker.reference.type", "attestation-manifest"}};
    const PlatformChoice any;
    const PlatformChoice as_opm{.wanted = {}, .or_first = false};
    const auto wanted = [](std::string_view platform) {
        return PlatformChoice{.wanted = required(Platform::parse(platform))};
    };
    std::string warning;
    const Index both{{entry("linux/mips"), entry(here), entry("linux/arm/v6"), entry("linux/arm/v7")}};
    CHECK(&choose(both, any, warning) == &both.entries[1]);
    CHECK(&choose(both, as_opm, warning) == &both.entries[1]);
    CHECK(&choose(both, wanted("linux/arm/v7"), warning) == &both.entries[3]);
    CHECK(&choose(both, wanted("linux/arm"), warning) == &both.entries[2]);
    CHECK(error_of([&] { choose(both, wanted("windows/amd64"), warning); }) ==
          "the index has no image for windows/amd64; its images are for linux/mips, " + here +
              ", linux/arm/v6, linux/arm/v7");

    const Index demanding{{entry("linux/mips"), entry(here + "/v9"), entry("")}};
    CHECK(&choose(demanding, any, warning) == &demanding.entries[2]);
    CHECK(&choose(demanding, as_opm, warning) == &demanding.entries[2]);
    CHECK(warning.empty());

    const Index foreign{{entry("unknown/unknown", attestation), entry("linux/mips"), entry("linux/sparc")}};
    CHECK(&choose(foreign, any, warning) == &foreign.entries[1]);
    CHECK(warning == "there is no image for " + here + "; the one for linux/mips is used");
    warning.clear();
    const Index unnamed{{entry("")}};
    CHECK(&choose(unnamed, any, warning) == &unnamed.entries[0]);
    CHECK(warning.empty());
    CHECK(error_of([&] { choose(foreign, as_opm, warning); }) ==
          "the index has no image for " + here + "; its images are for linux/mips, linux/sparc");
    CHECK(error_of([&] { choose(Index{{entry("", attestation)}}, any, warning); }) ==
          "the image index holds no image");
}
