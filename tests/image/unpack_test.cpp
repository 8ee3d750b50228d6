#include "opcat/base/directories.hpp"
#include "opcat/image/unpack.hpp"
#include "tar_builder.hpp"

#include <map>

using namespace opcat;
using namespace opcat::image;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t roomy = 64 << 20;

// Unpacks layers and shows what came out: path → content, "dir", or "-> target".
struct Unpacked {
    TemporaryDirectory directory{fs::temp_directory_path()};
    std::map<std::string, std::string> files;

    explicit Unpacked(const std::vector<std::string>& layers, const std::vector<std::string>& wanted = {""},
                      uint64_t max_size = roomy) {
        std::vector<LayerFile> list;
        for (size_t i = 0; i < layers.size(); ++i) {
            const fs::path path = directory.path() / ("in" + std::to_string(i));
            put(path, layers[i]);
            list.push_back({path, "layer " + std::to_string(i + 1)});
        }
        const fs::path into = directory.path() / "out";
        fs::create_directory(into);
        unpack(list, wanted, max_size, into);
        const fs::path root = into / "root";
        for (const auto& entry : fs::recursive_directory_iterator(root)) {
            const std::string name = entry.path().lexically_relative(root).string();
            files[name] = entry.is_symlink()     ? "-> " + fs::read_symlink(entry.path()).string()
                          : entry.is_directory() ? "dir"
                                                 : get(entry.path());
        }
    }
};

using Files = std::map<std::string, std::string>;

std::string unpack_failure(const std::vector<std::string>& layers,
                           const std::vector<std::string>& wanted = {""}, uint64_t max_size = roomy) {
    return error_of([&] { const Unpacked unpacked(layers, wanted, max_size); });
}

} // namespace

TEST_CASE("layers are read in every packing") {
    const std::string tar = TarBuilder().directory("./configs/").file("./configs/a", "A").bytes();
    for (const Packing packing : {Packing::none, Packing::gzip, Packing::zstd})
        CHECK(Unpacked({pack(tar, packing)}).files == Files{{"configs", "dir"}, {"configs/a", "A"}});
    CHECK(Unpacked({""}).files.empty());
    CHECK(Unpacked({pack("", Packing::gzip)}).files.empty());
    CHECK(Unpacked({TarBuilder().bytes()}).files.empty());
    CHECK(Unpacked({}).files.empty());
}

TEST_CASE("too many entries are refused before most of them are written") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const std::string files = [] {
        TarBuilder tar;
        for (int i = 0; i < 20'000; ++i) tar.file("f" + std::to_string(i), "");
        return pack(tar.bytes(), Packing::gzip);
    }();
    const std::string rest = [] {
        TarBuilder tar;
        for (int i = 0; i < 60'000; ++i) tar.directory("d");
        return pack(tar.bytes(), Packing::gzip);
    }();
    put(directory.path() / "files", files);
    put(directory.path() / "rest", rest);
    std::vector<LayerFile> layers{{directory.path() / "files", "layer 1"}};
    for (int i = 2; i < 11; ++i) layers.push_back({directory.path() / "rest", "layer " + std::to_string(i)});
    CHECK(error_of([&] { unpack(layers, {""}, uint64_t{1} << 30, directory.path()); }) ==
          "layer 10: the layers have more than 500000 entries");
    const auto written = fs::directory_iterator(directory.path() / "staging");
    CHECK(std::distance(begin(written), end(written)) == 10'000);
}

TEST_CASE("many files are unpacked, and an error after them names its layer") {
    TarBuilder many;
    for (int i = 0; i < 10'001; ++i) many.file("f" + std::to_string(i), "");
    const std::string good = TarBuilder().file("last", "1").bytes();
    CHECK(Unpacked({many.bytes(), good}).files.size() == 10'002);
    many.file("../x", "");
    CHECK(unpack_failure({many.bytes(), good}) == "layer 1: the path \"../x\" has \"..\" in it");
}

TEST_CASE("what replaces a directory hides what was wanted in it, although nobody wants it itself") {
    const std::string below = TarBuilder().file("a/configs/x", "1").file("b", "1").bytes();
    const auto configs_under = [&](const std::string& above) {
        return Unpacked({below, above}, {"a/configs"}).files.contains("a/configs/x");
    };
    CHECK(configs_under(TarBuilder().directory("a").bytes()));
    CHECK_FALSE(configs_under(TarBuilder().file("a", "2").bytes()));
    CHECK_FALSE(configs_under(TarBuilder().symlink("a", "b").bytes()));
    CHECK_FALSE(configs_under(TarBuilder().hard_link("a", "b").bytes()));
    CHECK_FALSE(configs_under(TarBuilder().entry('6', "a", {}, {}, 0).bytes())); // a named pipe
}

TEST_CASE("a higher layer replaces, adds and removes") {
    const std::string below =
        TarBuilder().file("a", "1").file("d/x", "1").file("d/y", "1").file("e/f/g", "1").bytes();
    CHECK(Unpacked({below, TarBuilder().file("a", "2").file("d/z", "2").bytes()}).files ==
          Files{{"a", "2"},
                {"d", "dir"},
                {"d/x", "1"},
                {"d/y", "1"},
                {"d/z", "2"},
                {"e", "dir"},
                {"e/f", "dir"},
                {"e/f/g", "1"}});
    CHECK(Unpacked({below, TarBuilder().file(".wh.a", "").file("d/.wh.x", "").file(".wh.e", "").bytes()})
              .files == Files{{"d", "dir"}, {"d/y", "1"}});
    CHECK(Unpacked({below, TarBuilder().file("e", "2").directory("a").bytes()}).files ==
          Files{{"a", "dir"}, {"d", "dir"}, {"d/x", "1"}, {"d/y", "1"}, {"e", "2"}});
}

TEST_CASE("whiteouts and opaque directories touch lower layers only, in whatever order they come") {
    const std::string below = TarBuilder().file("d/old", "1").file("d/s/old", "1").file("d.x", "1").bytes();
    const Files both{{"d", "dir"}, {"d/new", "2"}, {"d.x", "1"}};
    CHECK(Unpacked({below, TarBuilder().file("d/new", "2").file("d/.wh..wh..opq", "").bytes()}).files ==
          both);
    CHECK(Unpacked({below, TarBuilder().file("d/.wh..wh..opq", "").file("d/new", "2").bytes()}).files ==
          both);
    CHECK(Unpacked({below, TarBuilder().file("d/new", "2").file(".wh.d", "").bytes()}).files == both);
    CHECK(Unpacked({below, TarBuilder().file("d/old", "2").file("d/.wh.old", "").file(".wh.d.x", "").bytes()})
              .files == Files{{"d", "dir"}, {"d/old", "2"}, {"d/s", "dir"}, {"d/s/old", "1"}});
    CHECK(Unpacked({TarBuilder().file(".wh.nothing", "").file(".wh..wh.plnk", "").bytes()}).files.empty());
}

TEST_CASE("only selected entries are kept") {
    const std::string tar = TarBuilder()
                                .file("configs/a", "A")
                                .file("configs2/b", "B")
                                .file("bin/opm", std::string(100'000, 'x'))
                                .file("other", "O")
                                .bytes();
    CHECK(Unpacked({tar}, {"configs"}).files == Files{{"configs", "dir"}, {"configs/a", "A"}});
    CHECK(Unpacked({tar}, {"configs2", "other"}).files ==
          Files{{"configs2", "dir"}, {"configs2/b", "B"}, {"other", "O"}});
    CHECK(Unpacked({tar}, {"absent"}).files.empty());
}

TEST_CASE("files are found by their names after all layers, and nothing is written") {
    const Unpacked in({});
    std::vector<LayerFile> layers;
    const auto add = [&](const std::string& tar) {
        const fs::path path = in.directory.path() / ("find" + std::to_string(layers.size()));
        put(path, tar);
        layers.push_back({path, "layer"});
    };
    const auto found = [&] {
        std::string all;
        for (const FoundFile& file : find_files(layers, {"opm", "probe"}, roomy))
            all += file.path + (file.is_regular ? " " : "/ ");
        return all;
    };
    add(TarBuilder()
            .file("usr/bin/opm", "x")
            .file("usr/bin/opm2", "x")
            .symlink("bin", "usr/bin")
            .file("probe", "")
            .bytes());
    CHECK(found() == "probe usr/bin/opm ");
    add(TarBuilder().file("bin/opm", "y").symlink("sbin/opm", "../bin/opm").bytes());
    CHECK(found() == "probe sbin/opm/ usr/bin/opm ");
    add(TarBuilder().file("usr/bin/.wh.opm", "").file(".wh.probe", "").bytes());
    CHECK(found() == "sbin/opm/ ");
    CHECK_THROWS_AS((void)find_files(layers, {"opm"}, 100), Error);
}

TEST_CASE("links are resolved within the image, and their targets are kept") {
    const std::string tar = TarBuilder()
                                .directory("real")
                                .file("real/a", "A")
                                .symlink("var", "data")
                                .file("data/configs/b", "B")
                                .symlink("configs/file", "/real/a")
                                .symlink("configs/up", "../real")
                                .symlink("configs/chain", "file")
                                .symlink("configs/dangling", "nowhere/x")
                                .symlink("configs/circle", "circle")
                                .file("deep/h", "H")
                                .hard_link("configs/hard", "deep/h")
                                .bytes();
    CHECK(Unpacked({tar}, {"configs"}).files == Files{{"configs", "dir"},
                                                      {"configs/file", "-> ../real/a"},
                                                      {"configs/up", "-> ../real"},
                                                      {"configs/chain", "-> ../real/a"},
                                                      {"configs/dangling", "-> nowhere/x"},
                                                      {"configs/circle", "-> circle"},
                                                      {"configs/hard", "H"},
                                                      {"deep", "dir"},
                                                      {"deep/h", "H"},
                                                      {"real", "dir"},
                                                      {"real/a", "A"}});
    const Unpacked through_link({tar}, {"var/configs"});
    CHECK(get(through_link.directory.path() / "out/root/var/configs/b") == "B");
}

TEST_CASE("an entry below a link lands where the link leads, within the image") {
    const std::string tar =
        TarBuilder().directory("b").symlink("a", "/b").file("a/x", "X").symlink("c", "../c").bytes();
    CHECK(unpack_failure({tar}) == "layer 1: the link \"c\" leads out of the image, to \"../c\"");
    const std::string good = TarBuilder().directory("b").symlink("a", "/b").file("a/x", "X").bytes();
    CHECK(Unpacked({good}).files == Files{{"a", "-> b"}, {"b", "dir"}, {"b/x", "X"}});
    const std::string replaced = TarBuilder().directory("a").file("a/y", "Y").bytes();
    CHECK(Unpacked({good, replaced}).files == Files{{"a", "dir"}, {"a/y", "Y"}, {"b", "dir"}, {"b/x", "X"}});
}

TEST_CASE("names are UTF-8 and may be long, whatever the locale is") {
    const std::string name = "configs/" + std::string(180, 'n') + "/é操.yaml";
    const std::string tar =
        TarBuilder().pax({"path=" + name}).file("short", "A").file("configs/ü", "B").bytes();
    const auto files = Unpacked({tar}).files;
    CHECK(files.at(name) == "A");
    CHECK(files.at("configs/ü") == "B");
}

TEST_CASE("a hostile archive is refused with the layer and the reason") {
    const auto one = [](TarBuilder& tar) { return std::vector{tar.bytes()}; };
    TarBuilder absolute, dots, inner_dots, link_out, link_absolute_out, hard_out, hard_absolute, device, fifo,
        nothing, whiteout, whiteout_out, deep, long_path;
    absolute.file("/etc/passwd", "x");
    dots.file("../x", "x");
    inner_dots.file("a/../../x", "x");
    link_out.symlink("a/b", "../../etc/passwd");
    link_absolute_out.symlink("a/b", "/../etc/passwd");
    hard_out.hard_link("a", "../../etc/passwd");
    hard_absolute.hard_link("a", "/etc/passwd");
    device.entry('3', "null", {}, {}, 0);
    fifo.entry('6', "fifo", {}, {}, 0);
    nothing.hard_link("a", "b");
    whiteout.file("a/.wh...", "");
    whiteout_out.file("../.wh.x", "");
    std::string path = "path=";
    for (int i = 0; i < 300; ++i) path += "d/";
    deep.pax({path + "f"}).file("f", "x");
    long_path.pax({"path=" + std::string(2049, 'n')}).file("f", "x");
    const std::pair<std::vector<std::string>, std::string> cases[] = {
        {one(absolute), "the path \"/etc/passwd\" is absolute"},
        {one(dots), "the path \"../x\" has \"..\" in it"},
        {one(inner_dots), "the path \"a/../../x\" has \"..\" in it"},
        {one(link_out), "the link \"a/b\" leads out of the image, to \"../../etc/passwd\""},
        {one(link_absolute_out), "the link \"a/b\" leads out of the image, to \"/../etc/passwd\""},
        {one(hard_out), "the path \"../../etc/passwd\" has \"..\" in it"},
        {one(hard_absolute), "the hard link \"a\" leads to \"etc/passwd\", which is not a file in the image"},
        {one(device), "\"null\" is neither file, directory nor link"},
        {one(fifo), "\"fifo\" is neither file, directory nor link"},
        {one(nothing), "the hard link \"a\" leads to \"b\", which is not a file in the image"},
        {one(whiteout), "the whiteout \"a/.wh...\" names nothing"},
        {one(whiteout_out), "the path \"../.wh.x\" has \"..\" in it"},
    };
    for (const auto& [layers, reason] : cases) CHECK(unpack_failure(layers) == "layer 1: " + reason);
    CHECK(unpack_failure(one(deep)).ends_with("has more than 256 directories"));
    CHECK(unpack_failure(one(long_path)).ends_with("is longer than 2048 bytes"));
    // Entries that are not selected are not errors: base images have devices.
    CHECK(unpack_failure(one(device), {"configs"}) == "no error");
    CHECK(unpack_failure(one(link_out), {"configs"}) == "no error");
    CHECK(unpack_failure({TarBuilder().bytes(), dots.bytes()}) ==
          "layer 2: the path \"../x\" has \"..\" in it");
}

TEST_CASE("a symbolic link planted first cannot redirect a later write") {
    const TemporaryDirectory victim(fs::temp_directory_path());
    const std::string outside = victim.path().string();
    const Unpacked unpacked(
        {TarBuilder().symlink("a", outside).bytes(), TarBuilder().file("a/pwned", "x").bytes()});
    CHECK(fs::is_empty(victim.path()));
    for (const auto& [path, what] : unpacked.files) CHECK(what.find("-> /") == std::string::npos);
}

TEST_CASE("damaged archives are refused") {
    const std::string tar = TarBuilder().file("a", std::string(5000, 'a')).bytes();
    CHECK(unpack_failure({tar.substr(0, 2000)}).starts_with("layer 1: an entry cannot be read: "));
    const std::string packed = pack(tar + std::string(100'000, '\0'), Packing::gzip);
    CHECK(unpack_failure({packed.substr(0, packed.size() / 2)}).starts_with("layer 1: "));
    CHECK(unpack_failure({"this is not an archive at all"})
              .starts_with("layer 1: it is not an archive that can be read: "));
    CHECK(unpack_failure({TarBuilder().entry('0', "a", {}, "short", 50'000'000).bytes()})
              .starts_with("layer 1: "));
}

TEST_CASE("gzip is read as container engines read it: nothing is damaged, and nothing follows") {
    const std::string tar = TarBuilder().file("a", std::string(5000, 'a')).bytes() + std::string(1024, '\0');
    const std::string packed = pack(tar, Packing::gzip);
    std::string wrong_checksum = packed;
    wrong_checksum[packed.size() - 8] ^= 1;
    const std::string empty_member = pack("", Packing::gzip);
    const struct {
        std::string layer;
        const char* refusal; // nullptr: it is read
    } cases[] = {
        {packed, nullptr},
        {packed + empty_member, nullptr},
        {pack(tar.substr(0, 700), Packing::gzip) + pack(tar.substr(700), Packing::gzip), nullptr},
        {packed + "x", "something else follows its compressed data"},
        {packed + "\x1f", "something else follows its compressed data"},
        {packed + std::string(512, '\0'), "something else follows its compressed data"},
        {packed + tar, "something else follows its compressed data"},
        {packed + empty_member.substr(0, 12), "something else follows its compressed data"},
        {wrong_checksum, "its compressed data are damaged: incorrect data check"},
        {packed.substr(0, packed.size() - 3), "its compressed data are damaged: they are cut"},
    };
    for (const auto& [layer, refusal] : cases) {
        CAPTURE(layer.size());
        if (refusal)
            CHECK(unpack_failure({layer}) == "layer 1: " + std::string(refusal));
        else
            CHECK(Unpacked({layer}).files.at("a").size() >= 5000);
    }
}

TEST_CASE("content above the limit is refused, with any compression") {
    const std::string limit = "limit of 1000000 bytes";
    const auto refused = [&](const std::string& layer, const std::vector<std::string>& wanted = {""}) {
        return unpack_failure({layer}, wanted, 1'000'000).find(limit) != std::string::npos;
    };
    const std::string zeros(3'000'000, '\0');
    for (const Packing packing : {Packing::none, Packing::gzip, Packing::zstd}) {
        CHECK(refused(pack(TarBuilder().file("a", zeros).bytes(), packing)));
        CHECK(refused(pack(TarBuilder().file("unwanted", zeros).bytes(), packing), {"configs"}));
    }
    // A large stated size with little content; a sparse file of a terabyte in a few bytes.
    CHECK(refused(TarBuilder().entry('0', "a", {}, {}, 8'000'000'000).bytes()));
    CHECK(refused(TarBuilder()
                      .pax({"GNU.sparse.size=1000000000000", "GNU.sparse.numblocks=1", "GNU.sparse.map=0,1"})
                      .file("a", "x")
                      .bytes()));
    // Many small layers.
    const std::string part = TarBuilder().file("a", std::string(400'000, 'a')).bytes();
    CHECK(unpack_failure({part, part}, {""}, 1'000'000) == "no error");
    CHECK(unpack_failure({part, part, part}, {""}, 1'000'000) ==
          "layer 3: its files have more than the limit of 1000000 bytes");
}
