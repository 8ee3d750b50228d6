#include "opcat/base/digest.hpp"
#include "opcat/image/builder.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/image/layout_writer.hpp"
#include "opcat/image/local.hpp"
#include "opcat/image/puller.hpp"
#include "tar_builder.hpp"

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
    CHECK(
        error_of([&] { build_into(directory.path() / "other", on_base, base, directory); })
            .ends_with("cannot use the base image: there is no image for linux/s390x; there is linux/amd64, "
                       "linux/arm64/v8"));
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
