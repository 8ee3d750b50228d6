#include "opcat/base/error.hpp"
#include "opcat/shard/shard.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace opcat;

TEST_CASE("a shard is an index below a count") {
    CHECK(Shard::parse("3/16").index == 3);
    CHECK(Shard::parse("3/16").count == 16);
    CHECK(Shard::parse("0/1").to_string() == "0/1");
    for (const char* wrong : {"", "3", "/", "3/", "/3", "3/3", "4/3", "-1/3", "0/0", " 0/1", "0/1 ", "a/b",
                              "0/10001", "0/99999999999"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(Shard::parse(wrong), RequestError);
    }
}

TEST_CASE("each item is in one shard, and shards are of equal size but for one") {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> items;
        const size_t count = random() % 300;
        for (size_t i = 0; i < count; ++i)
            items.push_back("registry.example/org/bundle:v" + std::to_string(random()));
        const unsigned shards = static_cast<unsigned>(1 + random() % 20);
        std::vector<int> seen(items.size());
        size_t least = items.size();
        size_t most = 0;
        for (unsigned index = 0; index < shards; ++index) {
            const std::vector<size_t> own = items_of({index, shards}, items);
            CHECK(std::is_sorted(own.begin(), own.end()));
            for (const size_t item : own) ++seen[item];
            least = std::min(least, own.size());
            most = std::max(most, own.size());
        }
        CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
        CHECK(most - least <= 1);
    }
}

TEST_CASE("images with one digest are in one shard, whatever their names and the order of the list") {
    const std::string digest(64, 'a');
    std::vector<std::string> items{"one.example/a@sha256:" + digest, "two.example/b:v1@sha256:" + digest};
    for (int i = 0; i < 50; ++i) items.push_back("registry.example/c:v" + std::to_string(i));
    constexpr unsigned shards = 8;
    const auto shard_of = [&](const std::vector<std::string>& list) {
        std::map<std::string, unsigned> result;
        for (unsigned index = 0; index < shards; ++index)
            for (const size_t item : items_of({index, shards}, list)) result[list[item]] = index;
        return result;
    };
    const auto before = shard_of(items);
    CHECK(before.at(items[0]) == before.at(items[1]));
    std::reverse(items.begin(), items.end());
    CHECK(shard_of(items) == before);
}
