#include "opcat/base/error.hpp"
#include "opcat/shard/part.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace opcat;
namespace fs = std::filesystem;

namespace {

const RunOfShards run{ShardOutput::lines, "1.0", "sha256:x", 3};

void write_part(const fs::path& directory, const Shard& shard, const RunOfShards& of = run,
                bool fails = false) {
    PartWriter writer(directory, shard, of);
    writer.begin(shard.index, "item");
    if (fails)
        writer.fail({"cannot pull \"x\"", "try", 3, true});
    else
        writer.add("text\n");
    writer.commit();
}

std::vector<Part> parts_in(const fs::path& directory) {
    std::vector<Part> parts;
    for (const fs::path& file : find_parts(directory)) parts.push_back(read_part(file));
    return parts;
}

std::string message_of(const auto& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("a part lists its content and its failures") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    PartWriter writer(directory.path(), {1, 2}, {ShardOutput::blobs, "1.0", "sha256:x", 9});
    writer.begin(2, "first");
    writer.add("abc", 1, "p\"q", "name\n");
    writer.add("defg", 2, "p", "");
    writer.begin(5, "second");
    writer.fail({"cannot pull \"x\"", "try again", 3, true});
    writer.begin(8, "none");
    writer.commit();
    REQUIRE(writer.failures().size() == 1);
    CHECK(writer.failures()[0].reference == "second");
    const Part part = read_part(find_parts(directory.path()).at(0));
    CHECK(part.shard.to_string() == "1/2");
    REQUIRE(part.items.size() == 3);
    REQUIRE(part.items[0].pieces.size() == 2);
    CHECK(part.items[0].pieces[0].package == "p\"q");
    CHECK(part.items[0].pieces[0].name == "name\n");
    CHECK(part.items[0].pieces[1].offset == 3);
    CHECK(part.items[0].pieces[1].size == 4);
    REQUIRE(part.items[1].failure);
    CHECK(part.items[1].failure->message == "cannot pull \"x\"");
    CHECK(part.items[1].failure->temporary);
    CHECK(part.items[2].pieces.empty());
}

TEST_CASE("a shard is complete when its part is of the same run and nothing failed") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    CHECK_FALSE(has_part(directory.path(), {0, 2}, run));
    write_part(directory.path(), {0, 2});
    CHECK(has_part(directory.path(), {0, 2}, run));
    CHECK_FALSE(has_part(directory.path(), {1, 2}, run));
    CHECK_FALSE(has_part(directory.path(), {0, 2}, {ShardOutput::lines, "1.1", "sha256:x", 3}));
    CHECK_FALSE(has_part(directory.path(), {0, 2}, {ShardOutput::lines, "1.0", "sha256:y", 3}));
    write_part(directory.path(), {0, 2}, run, true);
    CHECK_FALSE(has_part(directory.path(), {0, 2}, run));
}

TEST_CASE("a shard whose data is lost or cut off is not complete") {
    const TemporaryDirectory directory(fs::temp_directory_path());
    write_part(directory.path(), {0, 2});
    const fs::path data = directory.path() / "shard-0-of-2.data";
    fs::resize_file(data, fs::file_size(data) - 1);
    CHECK_FALSE(has_part(directory.path(), {0, 2}, run));
    write_part(directory.path(), {0, 2});
    CHECK(has_part(directory.path(), {0, 2}, run));
    fs::remove(data);
    CHECK_FALSE(has_part(directory.path(), {0, 2}, run));
}

TEST_CASE("only the parts of one run are merged, all of them, each once") {
    const auto refused = [](const auto& write) {
        const TemporaryDirectory directory(fs::temp_directory_path());
        write(directory.path());
        return message_of([&] { require_whole_run(parts_in(directory.path())); });
    };
    CHECK(refused([](const fs::path& d) { write_part(d, {0, 2}), write_part(d, {1, 2}); }).empty());
    CHECK(refused([](const fs::path& d) {
              write_part(d, {0, 3}), write_part(d, {2, 3});
          }) == "shard 1/3 is missing");
    CHECK(refused([](const fs::path& d) {
              write_part(d, {0, 2}), write_part(d, {1, 2}, {ShardOutput::lines, "1.0", "sha256:y", 3});
          }).find("options or items differ") != std::string::npos);
    CHECK(refused([](const fs::path& d) {
              write_part(d, {0, 2}), write_part(d, {1, 2}, {ShardOutput::lines, "1.1", "sha256:x", 3});
          }).find("opcat 1.0 wrote one, opcat 1.1 the other") != std::string::npos);
    CHECK(refused([](const fs::path& d) {
              write_part(d, {0, 2}), write_part(d, {0, 1});
          }).find("not of the same run") != std::string::npos);
    const TemporaryDirectory one(fs::temp_directory_path());
    const TemporaryDirectory two(fs::temp_directory_path());
    write_part(one.path(), {0, 1});
    write_part(two.path(), {0, 1});
    CHECK(message_of([&] {
              std::vector<Part> parts = parts_in(one.path());
              parts.push_back(std::move(parts_in(two.path()).front()));
              require_whole_run(parts);
          }).find("shard 0 is given twice") == 0);
}

TEST_CASE("a damaged part is refused") {
    const char* const indexes[] = {
        "",
        "[]",
        "{}",
        R"({"schema":"opcat.shard.v2","output":"lines","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[]})",
        R"({"schema":"opcat.shard.v1","output":"text","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[]})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":1,"shards":1,"items":1,"done":[]})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":0,"shards":0,"items":1,"done":[]})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":{}})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":1,"reference":"r","pieces":[[5]]}]})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":0,"reference":"r","pieces":[[-5]]}]})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":0,"reference":"r","pieces":[[5,1]]}]})",
        R"({"schema":"opcat.shard.v1","output":"blobs","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":0,"reference":"r","pieces":[[5,256,"p","n"]]}]})",
        R"({"schema":"opcat.shard.v1","output":"blobs","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":0,"reference":"r","pieces":[[5,1,7,"n"]]}]})",
        R"({"schema":"opcat.shard.v1","output":"blobs","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":0,"reference":"r","pieces":[[5,1,"p",null]]}]})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":0,"reference":"r","pieces":[[4]]}]})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":0,"reference":"r","pieces":[[9223372036854775807],[9223372036854775807],[9]]}]})",
        R"({"schema":"opcat.shard.v1","output":"lines","version":"1","run":"x","shard":0,"shards":1,"items":2,"done":[{"item":1,"reference":"r","pieces":[[5]]},{"item":0,"reference":"r","pieces":[]}]})",
    };
    const TemporaryDirectory directory(fs::temp_directory_path());
    std::ofstream(directory.path() / "shard-0-of-1.data") << "12345";
    const fs::path index = directory.path() / "shard-0-of-1.json";
    for (const char* text : indexes) {
        CAPTURE(text);
        std::ofstream(index) << text;
        CHECK_THROWS_AS(read_part(index), Error);
    }
    // The largest kind that can be written.
    std::ofstream(index)
        << R"({"schema":"opcat.shard.v1","output":"blobs","version":"1","run":"x","shard":0,"shards":1,"items":1,"done":[{"item":0,"reference":"r","pieces":[[5,255,"p","n"]]}]})";
    CHECK(read_part(index).items.size() == 1);
    fs::remove(directory.path() / "shard-0-of-1.data");
    const std::string missing = message_of([&] { read_part(index); });
    CHECK(missing.starts_with("cannot read " + (directory.path() / "shard-0-of-1.data").string() + ": "));
}
