#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/file.hpp"
#include "opcat/image/puller.hpp"
#include "tar_builder.hpp"

#include <fmt/core.h>

using namespace opcat;
using namespace opcat::image;
namespace fs = std::filesystem;

namespace {

// Writes an OCI layout, and returns its descriptors.
class Layout {
public:
    explicit Layout(fs::path where) : where_(std::move(where)) { put(where_ / "oci-layout", "{}"); }

    std::string blob(const std::string& bytes, const std::string& more = "") {
        const std::string hex = sha256_hex(bytes);
        put(where_ / "blobs/sha256" / hex, bytes);
        return fmt::format(R"({{"digest":"sha256:{}","size":{}{}}})", hex, bytes.size(), more);
    }
    std::string image(const std::vector<std::string>& layers, const std::string& more = "") {
        std::string list;
        for (const std::string& layer : layers) list += (list.empty() ? "" : ",") + blob(layer);
        const std::string config =
            R"({"os":"linux","architecture":"mips","config":{"Labels":{"where":"/configs"}}})";
        return blob(fmt::format(R"({{"config":{},"layers":[{}]}})", blob(config), list), more);
    }
    void index(const std::string& entries) {
        put(where_ / "index.json", R"({"manifests":[)" + entries + "]}");
    }

private:
    fs::path where_;
};

std::string tag(const std::string& name) {
    return R"(,"annotations":{"org.opencontainers.image.ref.name":")" + name + "\"}";
}

const std::string layer = TarBuilder().file("configs/a", "A").file("bin/opm", "B").bytes();

UnpackedImage pull(const std::string& name, Options options = {}, const ChoosePaths& choose = {}) {
    ThreadPool pool(2);
    Puller puller(std::move(options));
    const PullRequest request{required(Name::parse(name)), choose};
    return std::move(puller.pull({&request, 1}, pool).at(0));
}

std::string failure(const std::string& name, const Options& options = {}) {
    const std::string error = error_of([&] { pull(name, options); });
    const std::string before = "cannot read " + name + ": ";
    return error.starts_with(before) ? error.substr(before.size()) : error;
}

} // namespace

TEST_CASE("layouts and archives of them are read, completely or as the labels select") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string dir = directory.path() / "layout";
    Layout layout(dir);
    layout.index(
        layout.image({layer, pack(TarBuilder().file("configs/b", "B2").bytes(), Packing::zstd)}, tag("v1")));
    const std::string tar = directory.path() / "layout.tar";
    REQUIRE(std::system(("tar -C " + dir + " -cf " + tar + " .").c_str()) == 0);
    for (const std::string& name : std::vector<std::string>{
             "oci:" + dir, "oci:" + dir + ":v1", "oci-archive:" + tar, "oci-archive:" + tar + ":v1"}) {
        CAPTURE(name);
        const UnpackedImage whole = pull(name);
        CHECK(get(whole.path("/configs/a")) == "A");
        CHECK(get(whole.path("configs/b")) == "B2");
        CHECK(get(whole.path("/../bin/opm")) == "B");
        CHECK(whole.labels == Labels{{"where", "/configs"}});
        CHECK(whole.digest.starts_with("sha256:"));
        const UnpackedImage part =
            pull(name, {}, [](const Labels& labels) { return std::vector{labels.at("where")}; });
        CHECK(get(part.path("configs/a")) == "A");
        CHECK_FALSE(fs::exists(part.path("bin")));
        const UnpackedImage none = pull(name, {}, [](const Labels&) { return std::vector<std::string>(); });
        CHECK(fs::is_empty(none.path("")));
    }
}

TEST_CASE("nothing is left after an image was destroyed") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    Layout layout(directory.path() / "layout");
    layout.index(layout.image({layer}));
    Options options;
    options.temporary = directory.path() / "tmp";
    fs::create_directory(options.temporary);
    {
        const UnpackedImage image = pull("oci:" + (directory.path() / "layout").string(), options);
        CHECK_FALSE(fs::is_empty(options.temporary));
    }
    CHECK(fs::is_empty(options.temporary));
    layout.index(layout.image({TarBuilder().file("../x", "").bytes()}));
    CHECK(failure("oci:" + (directory.path() / "layout").string(), options)
              .ends_with("): the path \"../x\" has \"..\" in it"));
    CHECK(fs::is_empty(options.temporary));
}

TEST_CASE("the tag chooses an image of a layout") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string dir = directory.path();
    Layout layout(dir);
    const std::string other = TarBuilder().file("other", "O").bytes();
    layout.index(layout.image({layer}, tag("v1")) + "," + layout.image({other}, tag("v2")));
    CHECK(get(pull("oci:" + dir + ":v2").path("other")) == "O");
    CHECK(failure("oci:" + dir) == "the layout holds 2 images; its tags are v1, v2");
    CHECK(failure("oci:" + dir + ":v3") == "the layout holds no image \"v3\"; its tags are v1, v2");
    layout.index(layout.image({layer}, tag("v1")) + "," + layout.image({other}));
    CHECK(get(pull("oci:" + dir).path("other")) == "O");
}

TEST_CASE(
    "an index of other platforms gives its first image with a warning, unless a platform is asked for") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string dir = directory.path();
    Layout layout(dir);
    const std::string platform = R"(,"platform":{"os":"linux","architecture":"mips"})";
    layout.index(layout.blob(R"({"manifests":[)" + layout.image({layer}, platform) + "]}"));
    const UnpackedImage image = pull("oci:" + dir);
    REQUIRE(image.warnings.size() == 1);
    CHECK(image.warnings[0].ends_with("the one for linux/mips is used"));
    Options options;
    options.platform.wanted = required(Platform::parse("linux/mips"));
    CHECK(pull("oci:" + dir, options).warnings.empty());
    options.platform.wanted = required(Platform::parse("linux/sparc"));
    CHECK(failure("oci:" + dir, options) ==
          "the index has no image for linux/sparc; its images are for linux/mips");
    layout.index(layout.image({layer}));
    CHECK(failure("oci:" + dir, options) == "the image is for linux/mips, not for linux/sparc");
}

TEST_CASE("a damaged layout is an error with the reason") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string dir = directory.path();
    CHECK(failure("oci:" + dir) == "it is not an OCI layout: there is no index.json");
    write_file(dir + "/index.json", "{}x");
    CHECK(failure("oci:" + dir) == "cannot read its index.json: the manifest is not a JSON object");
    Layout layout(dir);
    layout.index("");
    CHECK(failure("oci:" + dir) == "the layout holds no image");
    const std::string absent = "sha256:" + std::string(64, '0');
    layout.index(R"({"digest":")" + absent + R"(","size":1})");
    CHECK(failure("oci:" + dir) == "the blob " + absent + " is missing");
    layout.index(R"({"digest":")" + absent + R"(","size":5000000})");
    CHECK(failure("oci:" + dir) == absent + " has 5000000 bytes, more than the limit of 4194304");
    layout.index(layout.image({layer}));
    const fs::path blob = directory.path() / "blobs/sha256" / sha256_hex(layer);
    std::string changed = layer;
    changed[1000] ^= 1;
    put(blob, changed);
    CHECK(failure("oci:" + dir).find("has the digest sha256:" + sha256_hex(changed)) != std::string::npos);
    put(blob, "short");
    CHECK(failure("oci:" + dir).find("has 5 bytes, but the manifest says") != std::string::npos);
    // An index that contains itself cannot be made; a long chain of indexes can.
    std::string chain = layout.image({layer});
    for (int i = 0; i < 10; ++i) chain = layout.blob(R"({"manifests":[)" + chain + "]}");
    layout.index(chain);
    CHECK(failure("oci:" + dir) == "the image index is nested too deep");
}

TEST_CASE("archives of docker save are read by tag") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string tar = directory.path() / "save.tar";
    const auto config_of = [](const std::string& diff_ids) {
        return R"({"config":{"Labels":{"a":"b"}},"rootfs":{"diff_ids":[)" + diff_ids + "]}}";
    };
    std::string config = config_of("\"sha256:" + sha256_hex(layer) + "\"");
    const auto write = [&](const std::string& manifest) {
        put(tar, TarBuilder()
                     .file("manifest.json", manifest)
                     .file("c.json", config)
                     .file("1/layer.tar", layer)
                     .symlink("2/layer.tar", "../1/layer.tar")
                     .bytes());
    };
    write(R"([{"Config":"c.json","RepoTags":["quay.io/a/b:v1"],"Layers":["2/layer.tar"]}])");
    for (const char* suffix : {"", ":v1", ":quay.io/a/b:v1"}) {
        const UnpackedImage image = pull("docker-archive:" + tar + suffix);
        CHECK(get(image.path("configs/a")) == "A");
        CHECK(image.labels == Labels{{"a", "b"}});
    }
    const std::string name = "docker-archive:" + tar;
    CHECK(failure(name + ":v2") == "it holds no image \"v2\"; its tag is quay.io/a/b:v1");
    const std::string good = config;
    config = config_of("\"sha256:" + std::string(64, '0') + "\"");
    write(R"([{"Config":"c.json","Layers":["2/layer.tar"]}])");
    CHECK(failure(name).starts_with("layer 1 of 1: it has the digest sha256:"));
    config = config_of("");
    write(R"([{"Config":"c.json","Layers":["2/layer.tar"]}])");
    CHECK(failure(name) == "its manifest.json has 1 layer, and the configuration of the image 0");
    config = good;
    write(R"([{"Config":"c.json","RepoTags":["a:v1"]},{"Config":"c.json","RepoTags":["a:v2"]}])");
    CHECK(failure(name) == "it holds 2 images; its tags are a:v1, a:v2");
    write(R"([{"Config":7,"Layers":["1/layer.tar"]}])");
    CHECK(failure(name) == "its manifest.json names no configuration");
    write(R"([{"Config":"c.json","Layers":["../../../etc/passwd"]}])");
    CHECK(failure(name) == "its manifest.json names \"../../../etc/passwd\", which is not there");
    write("[]");
    CHECK(failure(name) == "its manifest.json lists no image");
    put(tar, TarBuilder().bytes());
    CHECK(failure(name) == "it is not an archive of docker save: there is no manifest.json");
    CHECK(failure(name + ".missing") == "there is no such file");
    CHECK(failure("oci-archive:/dev/null") == "it is not a file");
}

TEST_CASE("layers whose stated size is above the limit are refused before any download") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string dir = directory.path();
    Layout layout(dir);
    layout.index(layout.image({layer}));
    Options options;
    options.max_unpacked_size = 1000;
    CHECK(failure("oci:" + dir, options).ends_with("the layers have more than the limit of 1000 bytes"));
}
