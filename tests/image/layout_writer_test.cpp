#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/layout_writer.hpp"
#include "tar_builder.hpp"

#include <fmt/core.h>

#include <atomic>
#include <latch>
#include <thread>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

// Puts a blob into a layout, and returns its descriptor as JSON.
std::string put_into_layout(const fs::path& layout, const std::string& bytes) {
    image::put(layout / "blobs/sha256" / sha256_hex(bytes), bytes);
    return fmt::format(R"({{"digest":"sha256:{}","size":{}}})", sha256_hex(bytes), bytes.size());
}

// Writes an image with one layer into an archive for docker load; its configuration gives these digests.
std::string docker_archive_error(const fs::path& place, const std::string& diff_ids) {
    const std::string config = fmt::format(R"({{"rootfs":{{"diff_ids":[{}]}}}})", diff_ids);
    const std::string layer = image::TarBuilder().file("a", "A").bytes();
    const auto descriptor = [](const std::string& bytes) {
        return fmt::format(R"({{"digest":"sha256:{}","size":{}}})", sha256_hex(bytes), bytes.size());
    };
    return image::error_of([&] {
        const auto writer = image::write_to_docker_archive(place, "a:v1", {});
        for (const std::string& bytes : {config, layer})
            writer->put_blob({"sha256:" + sha256_hex(bytes), bytes.size()}, {},
                             [&](image::BlobSink& sink) { sink.write(bytes); });
        writer->put_image(
            fmt::format(R"({{"config":{},"layers":[{}]}})", descriptor(config), descriptor(layer)));
    });
}

} // namespace

TEST_CASE("an image that is removed from a layout takes its blobs along, but for those that others have") {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const fs::path layout = parent.path();
    const std::string shared = put_into_layout(layout, "shared layer");
    const std::string config = put_into_layout(layout, "{}");
    const auto manifest_of = [&](const std::string& layer) {
        return put_into_layout(layout, fmt::format(R"({{"config":{},"layers":[{}]}})", config, layer));
    };
    // One is below an index.
    const std::string index =
        put_into_layout(layout, fmt::format(R"({{"manifests":[{}]}})", manifest_of(shared)));
    const std::string other = manifest_of(put_into_layout(layout, "own layer"));
    const auto named = [](std::string descriptor, const char* tag) {
        descriptor.pop_back();
        return fmt::format(R"({},"annotations":{{"org.opencontainers.image.ref.name":"{}"}}}})", descriptor,
                           tag);
    };
    image::put(layout / "index.json",
               fmt::format(R"({{"manifests":[{},{}]}})", named(index, "keep"), named(other, "go")));
    image::put(layout / "blobs/sha256/notes.txt", "of somebody else");
    fs::create_directory(layout / "blobs/sha256/more");
    const image::RemovedFromLayout removed = image::remove_from_oci_layout(layout, {"go"});
    CHECK(removed.blobs == 2); // the manifest and its own layer
    CHECK(fs::exists(layout / "blobs/sha256" / sha256_hex("shared layer")));
    CHECK_FALSE(fs::exists(layout / "blobs/sha256" / sha256_hex("own layer")));
    CHECK(image::remove_from_oci_layout(layout, {"keep"}).blobs == 4);
    CHECK(image::get(layout / "blobs/sha256/notes.txt") == "of somebody else");
    CHECK(fs::is_directory(layout / "blobs/sha256/more"));
}

TEST_CASE("a layout whose parts are links is neither written to nor cleaned") {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const fs::path layout = parent.path() / "layout";
    const fs::path outside = parent.path() / "outside";
    const fs::path file = outside / std::string(64, 'a');
    image::put(file, "mine");
    image::put(layout / "oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
    image::put(layout / "index.json", R"({"schemaVersion":2,"manifests":[]})");
    fs::create_directory(layout / "blobs");
    fs::create_directory_symlink("../../outside", layout / "blobs/sha256");
    const auto is_refused = [](const std::string& why) {
        return why.ends_with("blobs/sha256 is a link, and would lead out of the layout");
    };
    CHECK(is_refused(image::error_of([&] { image::remove_from_oci_layout(layout, {"a"}); })));
    CHECK(is_refused(image::error_of([&] { image::write_to_oci_layout(layout, "a")->put_manifest("{}"); })));
    CHECK(image::get(file) == "mine");
    CHECK(std::distance(fs::directory_iterator(outside), fs::directory_iterator()) == 1);
}

TEST_CASE("an archive replaces only one of its own kind") {
    const TemporaryDirectory parent(fs::temp_directory_path());
    image::Options options;
    options.temporary = parent.path();
    const fs::path file = parent.path() / "backup.tar";
    const auto write = [&](const std::string& name) {
        image::put(file, image::TarBuilder().file(name, "content").bytes());
    };
    const auto failure = [&](bool docker) {
        return image::error_of([&] {
            docker ? image::write_to_docker_archive(file, "a", options)
                   : image::write_to_oci_archive(file, "a", options);
        });
    };
    write("etc/passwd");
    CHECK(failure(false) == "the file exists and is not an archive of this kind: it has no oci-layout");
    CHECK(failure(true) == "the file exists and is not an archive of this kind: it has no manifest.json");
    write("oci-layout");
    CHECK(failure(false) == "no error");
    CHECK(failure(true).ends_with("it has no manifest.json"));
}

TEST_CASE("a directory whose index is something else is left alone") {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const std::string manifest =
        R"({"config":{"digest":"sha256:)" + std::string(64, 'a') + R"(","size":1},"layers":[]})";
    image::put(parent.path() / "index.json", manifest);
    CHECK(image::error_of([&] {
              image::remove_from_oci_layout(parent.path(), {"a"});
          }).ends_with("index.json is not an image index"));
    CHECK(image::get(parent.path() / "index.json") == manifest);
}

TEST_CASE("an archive is not put in the place of what is not a file") {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const std::string diff_id = "\"sha256:" + sha256_hex(image::TarBuilder().file("a", "A").bytes()) + "\"";
    CHECK(docker_archive_error(parent.path() / "a.tar", diff_id) == "no error");
    CHECK(fs::file_size(parent.path() / "a.tar") > 0);
    fs::create_directory(parent.path() / "directory");
    CHECK(docker_archive_error(parent.path() / "directory", diff_id).ends_with("it is not a regular file"));
    CHECK(fs::is_empty(parent.path() / "directory"));
}

TEST_CASE("an archive for docker load has the layers that the configuration gives") {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const fs::path place = parent.path() / "a.tar";
    CHECK(docker_archive_error(place, "") == "the image has 1 layers, and its configuration names 0");
    const std::string wrong = "sha256:" + std::string(64, 'a');
    CHECK(docker_archive_error(place, '"' + wrong + '"') ==
          "a layer is not what the configuration says: " + wrong);
    CHECK_FALSE(fs::exists(place));
}

TEST_CASE("several writers make a new layout together") {
    for (int round = 0; round < 100; ++round) {
        const TemporaryDirectory parent(fs::temp_directory_path());
        image::LayoutBatch batch(parent.path() / "layout");
        std::atomic<int> failures = 0;
        std::latch ready(8);
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&, i] {
                ready.arrive_and_wait();
                try {
                    image::write_to_oci_layout(batch, fmt::format("v{}", i), {})
                        ->put_manifest(fmt::format("{}", i));
                } catch (const Error&) {
                    ++failures;
                }
            });
        for (std::thread& thread : threads) thread.join();
        CHECK(failures == 0);
    }
}
