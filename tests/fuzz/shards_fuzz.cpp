// Catalogs rendered by shards and merged: byte for byte the output of one machine. The input decides on the
// catalogs and the number of shards.
#include "../shard/whole.hpp"
#include "fuzzing.hpp"

using namespace opcat;

FUZZ_TARGET(shards) {
    static ThreadPool pool(1);
    test::Choices choices(input);
    const auto [shards, whole] = test::render_in_shards(choices, pool);
    fuzz::require(shards == whole, "merged shards are the whole");
}
