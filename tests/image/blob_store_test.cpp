#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/image/blob_store.hpp"
#include "tar_builder.hpp"

#include <atomic>

using namespace opcat;
using namespace opcat::image;
namespace fs = std::filesystem;

namespace {

Descriptor descriptor_of(const std::string& content) {
    return {"sha256:" + sha256_hex(content), content.size()};
}

} // namespace

TEST_CASE("a blob is downloaded once, whatever the number of threads and stores") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    std::atomic<int> downloads{0};
    const auto download = [&](BlobSink& file) {
        ++downloads;
        file.write("con");
        file.write("tent");
    };
    for (int run = 0; run < 2; ++run) {
        BlobStore store(directory.path());
        ThreadPool pool(4);
        pool.for_each(
            16, [&](size_t) { CHECK(get(store.get(descriptor_of("content"), {}, download)) == "content"); });
    }
    CHECK(downloads == 1);
}

TEST_CASE("a damaged blob in the cache is downloaded again") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const auto download = [](BlobSink& file) { file.write("content"); };
    const Descriptor blob = descriptor_of("content");
    const fs::path file = BlobStore(directory.path()).get(blob, {}, download);
    for (const char* damage : {"Content", "", "content and more"}) {
        put(file, damage);
        CHECK(get(BlobStore(directory.path()).get(blob, {}, download)) == "content");
    }
}

TEST_CASE("neither wrong nor partial content gets into the store") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    BlobStore store(directory.path());
    const Descriptor blob = descriptor_of("content");
    const auto error = [&](const char* bytes) {
        return error_of([&] { store.get(blob, {}, [&](BlobSink& file) { file.write(bytes); }); });
    };
    CHECK(error("cont") == "it has 4 bytes, but the manifest says 7");
    CHECK(error("content!") == "it is larger than the 7 bytes that the manifest says");
    CHECK(error("CONTENT").starts_with("its digest is sha256:"));
    CHECK(fs::is_empty(directory.path() / "blobs/sha256"));
}

namespace {

const std::string large(3 << 20, 'x');

} // namespace

TEST_CASE("an interrupted download is gone on with by the next run, if it had come far") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const Descriptor blob = descriptor_of(large);
    const auto get_after = [&](size_t bytes_before) {
        const auto interrupted = [&](BlobSink& file) {
            file.write(std::string_view(large).substr(0, bytes_before));
            throw Error("the connection broke");
        };
        CHECK_THROWS_AS(BlobStore(directory.path()).get(blob, {}, interrupted), Error);
        size_t went_on_at = 0;
        const auto rest = [&](BlobSink& file) {
            went_on_at = file.size();
            file.write(std::string_view(large).substr(went_on_at));
        };
        const fs::path file = BlobStore(directory.path()).get(blob, {}, rest);
        CHECK(get(file) == large);
        CHECK(fs::is_empty(directory.path() / "parts"));
        fs::remove(file);
        return went_on_at;
    };
    CHECK(get_after(2 << 20) == 2 << 20);
    CHECK(get_after(1000) == 0);
}

TEST_CASE("what an earlier run has left is not trusted") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const Descriptor blob = descriptor_of(large);
    const fs::path part = directory.path() / "parts" / blob.digest.substr(7);
    const auto rest = [](BlobSink& file) { file.write(std::string_view(large).substr(file.size())); };
    for (const std::string& left : {std::string(2 << 20, 'y'), large + "more", std::string(3 << 20, 'y')}) {
        fs::create_directories(part.parent_path());
        put(part, left);
        const fs::path file = BlobStore(directory.path()).get(blob, {}, rest);
        CHECK(get(file) == large);
        fs::remove(file);
    }
    fs::create_symlink("/etc/passwd", part);
    CHECK_THROWS_AS(BlobStore(directory.path()).get(blob, {}, rest), Error);
}

TEST_CASE("two runs that download the same blob do not disturb each other") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const Descriptor blob = descriptor_of(large);
    BlobStore one(directory.path());
    one.get(blob, {}, [&](BlobSink& file) {
        file.write(std::string_view(large).substr(0, 2 << 20));
        BlobStore other(directory.path());
        CHECK(get(other.get(blob, {}, [](BlobSink& same) {
                  CHECK(same.size() == 0);
                  same.write(large);
              })) == large);
        file.write(std::string_view(large).substr(2 << 20));
    });
    CHECK(fs::is_empty(directory.path() / "parts"));
}

TEST_CASE("parts of downloads that nobody has gone on with for a week are removed") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path part = directory.path() / "parts" / std::string(64, 'a');
    fs::create_directories(part.parent_path());
    put(part, "content");
    { const BlobStore store(directory.path()); }
    CHECK(fs::exists(part));
    fs::last_write_time(part, fs::file_time_type::clock::now() - std::chrono::hours(24 * 8));
    { const BlobStore store(directory.path()); }
    CHECK_FALSE(fs::exists(part));
}

TEST_CASE("the cache is listed, and cleaned unless somebody uses it") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    const fs::path cache = directory.path() / "cache";
    CHECK(list_cache(cache).empty());
    CHECK(clean_cache(cache).blobs == 0);
    fs::create_directories(cache / "blobs/sha256"); // by hand: there is no lock yet
    put(cache / "blobs/sha256" / std::string(64, 'b'), "xy");
    CHECK(clean_cache(cache).bytes == 2);
    CHECK(list_cache(cache).empty());
    {
        BlobStore store(cache);
        store.get(descriptor_of("content"), {}, [](BlobSink& file) { file.write("content"); });
        CHECK(error_of([&] { clean_cache(cache); }).ends_with("another program is using it"));
    }
    // What is not a blob is not listed.
    put(cache / "blobs/sha256/README", "what this is");
    fs::create_directory(cache / "blobs/sha256" / std::string(64, 'a'));
    REQUIRE(list_cache(cache).size() == 1);
    CHECK(list_cache(cache)[0].size == 7);
    CHECK(list_cache(cache)[0].digest == descriptor_of("content").digest);
    CHECK(list_cache(cache)[0].images.empty());
    Contents contents;
    contents.layers.push_back(descriptor_of("content"));
    for (const char* image : {"registry.example/b:v1", "registry.example/a:v1"})
        name_cached_image(cache, image, contents);
    CHECK(list_cache(cache)[0].images ==
          std::vector<std::string>{"registry.example/a:v1", "registry.example/b:v1"});
    const CleanedCache cleaned = clean_cache(cache);
    CHECK(cleaned.blobs == 1);
    CHECK(cleaned.bytes == 7);
    CHECK(list_cache(cache).empty());
}
