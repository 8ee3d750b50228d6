#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/tar_reader.hpp"
#include "opcat/image/tar_writer.hpp"
#include "tar_builder.hpp"

#include <map>

namespace opcat::image {
namespace {

std::string write_sample(Packing packing, uint64_t time) {
    std::string bytes;
    Packer packer(packing, 6, [&](std::string_view piece) { bytes += piece; });
    TarWriter tar([&](std::string_view piece) { packer.write(piece); }, time);
    tar.directory("a");
    tar.file("a/empty", std::string_view());
    tar.file("a/" + std::string(150, 'n'), "long name");
    tar.symlink("a/link", std::string(150, 't'));
    tar.file("b", std::string(1000, 'x'));
    tar.finish();
    packer.finish();
    return bytes;
}

} // namespace

TEST_CASE("written archives can be read, with any compression") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    for (const Packing packing : {Packing::none, Packing::gzip, Packing::zstd}) {
        put(directory.path() / "archive", write_sample(packing, 0));
        UnpackBudget budget(1 << 20);
        TarReader reader(directory.path() / "archive", budget);
        std::map<std::string, std::string> found;
        TarEntry entry;
        for (int i = 0; reader.next(entry); ++i) {
            found[entry.path] = entry.target;
            if (entry.kind != TarEntry::Kind::file) continue;
            const auto file = directory.path() / std::to_string(i);
            std::filesystem::remove(file);
            reader.extract(file);
            found[entry.path] = get(file);
        }
        const std::map<std::string, std::string> expected{{"a/", ""},
                                                          {"a/empty", ""},
                                                          {"a/" + std::string(150, 'n'), "long name"},
                                                          {"a/link", std::string(150, 't')},
                                                          {"b", std::string(1000, 'x')}};
        CHECK(found == expected);
    }
}

TEST_CASE("equal content is equal bytes") {
    // A change of these changes the digest of every image that opcat builds.
    CHECK(sha256_hex(write_sample(Packing::none, 0)) ==
          "43702871d8c9ec6906d6989423cd342a6c2eb273f963ca8d24ffc754b9fa56e1");
    CHECK(write_sample(Packing::gzip, 0) == write_sample(Packing::gzip, 0));
    CHECK(write_sample(Packing::gzip, 0).substr(4, 4) == std::string(4, '\0')); // no time in gzip's header
    CHECK(write_sample(Packing::none, 0) != write_sample(Packing::none, 1));
}

TEST_CASE("a stream is unpacked up to a limit") {
    const TemporaryDirectory directory(std::filesystem::temp_directory_path());
    const auto file = directory.path() / "packed";
    for (const Packing packing : {Packing::none, Packing::gzip, Packing::zstd}) {
        std::string packed;
        Packer packer(packing, 3, [&](std::string_view piece) { packed += piece; });
        packer.write(std::string(100'000, 'z'));
        packer.finish();
        put(file, packed);
        std::string unpacked;
        unpack_stream(file, 100'000, [&](std::string_view piece) { unpacked += piece; });
        CHECK(unpacked == std::string(100'000, 'z'));
        CHECK(error_of([&] {
                  unpack_stream(file, 99'999, [](std::string_view) {});
              }).ends_with("unpacks to more than the limit of 99999 bytes"));
    }
}

TEST_CASE("the receiver of the bytes may fail") {
    Packer packer(Packing::gzip, 6, [](std::string_view) { throw Error("the disk is full"); });
    const auto write = [&] {
        packer.write("some");
        packer.finish();
    };
    CHECK(error_of(write) == "the disk is full");
}

} // namespace opcat::image
