#include "opcat/base/error.hpp"
#include "opcat/cluster/shard_job.hpp"

#include <doctest/doctest.h>

using namespace opcat;
using namespace opcat::cluster;

namespace {

ShardJobSpec with_items(std::string items) {
    return {.name = "run",
            .ns = "shop",
            .run = "1",
            .image = "registry.example/opcat:v1",
            .arguments = {"render"},
            .items = std::move(items)};
}

} // namespace

TEST_CASE("items are cut at line breaks into ConfigMaps that the API server accepts, in their order") {
    const std::string line = std::string(99'999, 'x') + "\n"; // five fit into half a MiB
    std::string items;
    for (int i = 0; i < 12; ++i) items += std::to_string(i % 10) + line.substr(1);
    std::string joined;
    size_t maps = 0;
    for (const Object& object : shard_job_objects(with_items(items)))
        if (object.kind() == "ConfigMap") {
            ++maps;
            for (const kube::Fields data : {object.at("data")})
                for (const Member& piece : data.value().members()) {
                    CHECK(piece.value.string().size() <= size_t{512} * 1024);
                    CHECK(piece.value.string().ends_with('\n'));
                    joined += piece.value.string();
                }
        }
    CHECK(maps == 3);
    CHECK(joined == items);
}

TEST_CASE("an item that no ConfigMap can hold is an error") {
    const size_t most = size_t{512} * 1024;
    CHECK_NOTHROW(shard_job_objects(with_items(std::string(most - 1, 'x') + "\n" + "y\n")));
    CHECK_THROWS_WITH_AS(shard_job_objects(with_items(std::string(most, 'x') + "\ny\n")),
                         "an item is longer than 524288 bytes, which no ConfigMap can hold", Error);
}
