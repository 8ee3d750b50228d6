#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/image/builder.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/image/layout_writer.hpp"
#include "opcat/image/local.hpp"
#include "opcat/image/puller.hpp"
#include "tar_builder.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

namespace opcat::image {
namespace {

Options options_in(const TemporaryDirectory& directory) {
    Options options;
    options.temporary = directory.path();
    return options;
}

// Builds into a layout, and returns the image's digest.
std::string build_into(const std::filesystem::path& layout, const ImageRecipe& recipe,
                       const std::filesystem::path& base, const TemporaryDirectory& directory) {
    const CopyJob job{"a test", layout.string(),
                      [&] {
                          return build_image(recipe, base.empty() ? nullptr : read_oci_layout(base, ""),
                                             directory.path());
                      },
                      [&] { return write_to_oci_layout(layout, ""); }};
    ThreadPool pool(2);
    const CopyResult result = copy_images({&job, 1}, {}, pool).front();
    if (result.failure) throw *result.failure;
    return result.digest;
}

LayerEntry text(const std::string& content) {
    return {LayerEntry::Kind::text, {}, content};
}

} // namespace

TEST_CASE("a layer on top of a base keeps what it does not replace") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    ImageRecipe lower{.entries = {{"configs", {}},
                                  {"configs/old", text("old")},
                                  {"tmp", {}},
                                  {"tmp/cache", text("cache")},
                                  {"bin", {}},
                                  {"bin/opm", text("opm")}}};
    lower.labels = {{"keep", "1"}, {"drop", "1"}};
    lower.platforms = {{"linux", "amd64", ""}};
    lower.entry_point = {"/bin/opm"};
    build_into(directory.path() / "base", lower, {}, directory);
    ImageRecipe upper{.entries = {{"configs", {}},
                                  {"configs/.wh..wh..opq", text("")},
                                  {"configs/new", text("new")},
                                  {"tmp/.wh.cache", text("")}}};
    upper.labels = {{"add", "2"}};
    upper.no_labels = {"drop"};
    build_into(directory.path() / "built", upper, directory.path() / "base", directory);

    Puller puller(options_in(directory));
    ThreadPool pool(1);
    const PullRequest request{required(Name::parse("oci:" + (directory.path() / "built").string())), {}};
    const auto image = std::move(puller.pull({&request, 1}, pool).front());
    CHECK(get(image.path("configs/new")) == "new");
    CHECK(get(image.path("bin/opm")) == "opm");
    CHECK_FALSE(std::filesystem::exists(image.path("configs/old")));
    CHECK_FALSE(std::filesystem::exists(image.path("tmp/cache")));
    CHECK(image.labels == Labels{{"add", "2"}, {"keep", "1"}});
}

TEST_CASE("an index is made for several platforms, and for a base that is an index") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    ImageRecipe recipe{.entries = {{"a", text("a")}}};
    recipe.platforms = {{"linux", "amd64", ""}, {"linux", "arm64", "v8"}};
    const auto base = directory.path() / "base";
    build_into(base, recipe, {}, directory);
    ImageRecipe on_base{.entries = {{"b", text("b")}}};
    build_into(directory.path() / "built", on_base, base, directory);
    const auto top = parse_manifest(read_oci_layout(directory.path() / "built", "")->manifest());
    REQUIRE(std::holds_alternative<Index>(top));
    const auto& entries = std::get<Index>(top).entries;
    REQUIRE(entries.size() == 2);
    CHECK(entries[1].platform->to_string() == "linux/arm64/v8");
    on_base.platforms = {{"linux", "s390x", ""}};
    CHECK(error_of([&] { build_into(directory.path() / "other", on_base, base, directory); })
              .ends_with("cannot use the base image: the index has no image for linux/s390x; its images are "
                         "for linux/amd64, linux/arm64/v8"));
}

TEST_CASE("each platform has its own files, and the requested configuration") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    ImageRecipe recipe;
    recipe.platforms = {{"linux", "amd64", ""}, {"linux", "arm64", ""}, {"linux", "s390x", ""}};
    // Equal files are one layer.
    recipe.entries_by_platform = {{{"a", text("1")}}, {{"a", text("1")}}, {{"a", text("2")}}};
    recipe.user = "1001";
    recipe.environment = {{"PATH", "/bin"}, {"HOME", "/"}};
    build_into(directory.path() / "base", recipe, {}, directory);
    const auto reader = read_oci_layout(directory.path() / "base", "");
    std::vector<std::string> layers;
    const auto top = parse_manifest(reader->manifest());
    for (const IndexEntry& entry : std::get<Index>(top).entries) {
        const auto manifest = parse_manifest(reader->manifest(entry.manifest));
        REQUIRE(std::get<Manifest>(manifest).layers.size() == 1);
        layers.push_back(std::get<Manifest>(manifest).layers.front().digest);
    }
    REQUIRE(layers.size() == 3);
    CHECK(layers[0] == layers[1]);
    CHECK(layers[0] != layers[2]);

    ImageRecipe upper{.entries = {{"b", text("b")}}};
    upper.platforms = {{"linux", "amd64", ""}};
    upper.working_directory = "/work";
    upper.environment = {{"HOME", "/tmp"}, {"LC_ALL", "C"}};
    build_into(directory.path() / "built", upper, directory.path() / "base", directory);
    const auto built = parse_manifest(read_oci_layout(directory.path() / "built", "")->manifest());
    const std::string config = std::get<Manifest>(built).config.digest.substr(7);
    CHECK(
        get(directory.path() / "built/blobs/sha256" / config)
            .find(
                R"("Env":["PATH=/bin","HOME=/tmp","LC_ALL=C"],"Labels":{},"User":"1001","WorkingDir":"/work")") !=
        std::string::npos);

    recipe.platforms.pop_back();
    CHECK(error_of([&] { build_into(directory.path() / "other", recipe, {}, directory); }) ==
          "cannot copy a test to " + (directory.path() / "other").string() +
              ": there are files for 3 platforms, and 2 platforms");
}

TEST_CASE("a directory becomes entries, except for links that lead out of it") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const auto root = directory.path() / "root";
    put(root / "a/b", "b");
    std::filesystem::create_symlink("../a/b", root / "a/link");
    LayerEntries entries;
    add_directory(entries, "x/configs", root);
    std::vector<std::string> names;
    for (const auto& [path, entry] : entries) names.push_back(path);
    CHECK(names ==
          std::vector<std::string>{"x", "x/configs", "x/configs/a", "x/configs/a/b", "x/configs/a/link"});
    for (const char* target : {"/etc/passwd", "../../etc", "../../../x"}) {
        std::filesystem::create_symlink(target, root / "out");
        CHECK(error_of([&] { add_directory(entries, "y", root); }).find("leads out of") != std::string::npos);
        std::filesystem::remove(root / "out");
    }
}

TEST_CASE("what is neither a file, a directory nor a link cannot be put into an image") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    REQUIRE(::mkfifo((directory.path() / "pipe").c_str(), 0600) == 0);
    LayerEntries entries;
    const std::string error = error_of([&] { add_directory(entries, "", directory.path()); });
    CHECK(error.ends_with("pipe is neither a file, a directory nor a link"));
}

TEST_CASE("a base image that cannot be built upon is refused with the reason") {
    const std::string digests =
        R"("rootfs":{"type":"layers","diff_ids":["sha256:)" + std::string(64, '1') + "\"]}";
    const std::string amd64 = R"({"os":"linux","architecture":"amd64",)";
    struct Case {
        std::string config;
        std::string layer_type;     // of its one layer; empty: it has none
        std::string config_details; // in place of the size
        std::string error;
    };
    const std::string oci_layer = "application/vnd.oci.image.layer.v1.tar+gzip";
    const Case cases[] = {
        {amd64 + digests + "}", oci_layer, "", ""},
        {amd64 + digests + "}", "application/vnd.docker.image.rootfs.diff.tar.gzip", "", ""},
        {amd64 + digests + "}", "application/vnd.in-toto+json", "",
         "the base image has a layer of the kind \"application/vnd.in-toto+json\", which cannot be built "
         "upon"},
        {amd64 + R"("rootfs":{"diff_ids":[]}})", oci_layer, "",
         "it has 1 layers, but its configuration names 0"},
        {R"({"os":"linux","architecture":"s390x",)" + digests + "}", oci_layer, "",
         "the image is for linux/s390x, not for linux/amd64"},
        {amd64 + digests + "}", oci_layer, "5000000", "has 5000000 bytes, more than the limit of 4194304"},
        // What is not as the specification says is replaced.
        {amd64 + R"("rootfs":"none","history":{},"config":[]})", "", "", ""},
        {amd64 + R"("rootfs":{"diff_ids":"none"}})", "", "", ""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.config);
        CAPTURE(c.layer_type);
        const TemporaryDirectory directory(std::filesystem::temp_directory_path());
        const auto base = directory.path() / "base";
        const auto blob = [&](const std::string& bytes, const std::string& size, const std::string& type) {
            put(base / "blobs/sha256" / sha256_hex(bytes), bytes);
            return fmt::format(R"({{"digest":"sha256:{}","size":{},"mediaType":"{}"}})", sha256_hex(bytes),
                               size.empty() ? std::to_string(bytes.size()) : size, type);
        };
        const std::string config =
            blob(c.config, c.config_details, "application/vnd.oci.image.config.v1+json");
        const std::string layers = c.layer_type.empty() ? "" : blob("layer", "", c.layer_type);
        const std::string manifest = fmt::format(R"({{"config":{},"layers":[{}]}})", config, layers);
        put(base / "index.json",
            R"({"manifests":[)" + blob(manifest, "", "application/vnd.oci.image.manifest.v1+json") + "]}");
        ImageRecipe recipe{.entries = {{"a", text("a")}}};
        recipe.platforms = {{"linux", "amd64", ""}};
        const std::string error =
            error_of([&] { build_into(directory.path() / "built", recipe, base, directory); });
        if (c.error.empty())
            CHECK(error == "no error");
        else
            CHECK(error.ends_with(c.error));
    }
}

TEST_CASE("the error for an unreadable base image suggests scratch") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const ImageRecipe recipe{.entries = {{"a", text("a")}}};
    try {
        build_into(directory.path() / "built", recipe, directory.path() / "nothing", directory);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(std::string_view(error.what())
                  .ends_with("cannot read the base image: there is no such directory"));
        CHECK(error.hint() == "take another base, or scratch, which needs none");
    }
}

TEST_CASE("labels are text") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    ImageRecipe recipe{.entries = {{"a", text("a")}}};
    recipe.labels = {{"bad", "\xff"}};
    CHECK(error_of([&] {
              build_into(directory.path() / "built", recipe, {}, directory);
          }).ends_with("the label bad is not text in UTF-8"));
}

TEST_CASE("the root of a file system keeps executable modes and all links") {
    using std::filesystem::perms;
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const auto root = directory.path() / "root";
    put(root / "bin/run", "");
    put(root / "etc/secret", "");
    std::filesystem::create_directory(root / "tmp");
    std::filesystem::create_symlink("/bin/run", root / "bin/link");
    std::filesystem::permissions(root / "bin", perms::owner_all);
    std::filesystem::permissions(root / "bin/run", perms::owner_all | perms::group_exec | perms::set_uid);
    std::filesystem::permissions(root / "etc/secret", perms::owner_read);
    std::filesystem::permissions(root / "tmp", perms::all | perms::sticky_bit);
    const auto modes = [&](Tree tree) {
        LayerEntries entries;
        add_directory(entries, "", root, tree);
        std::map<std::string, unsigned> found;
        for (const auto& [path, entry] : entries) found[path] = entry.mode;
        return found;
    };
    CHECK(modes(Tree::root) ==
          std::map<std::string, unsigned>{
              {"bin", 0}, {"bin/link", 0}, {"bin/run", 0755}, {"etc", 0}, {"etc/secret", 0}, {"tmp", 01777}});
    std::filesystem::remove(root / "bin/link");
    for (const auto& one : modes(Tree::data)) CHECK_MESSAGE(one.second == 0, one.first);
}

} // namespace opcat::image
