// A run that several machines share, and the items of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// Shards are numbered from 0, like JOB_COMPLETION_INDEX of Kubernetes' Indexed Jobs.
struct Shard {
    static constexpr unsigned most = 10'000;

    unsigned index = 0;
    unsigned count = 1;

    // "3/16". Throws RequestError for other texts, for an index that is not below the count, and for more
    // than `most` shards.
    static Shard parse(std::string_view text);
    std::string to_string() const;
    // "shard-3-of-16", for files.
    std::string file_stem() const;
};

// The items of a shard, ascending; items are references or lines of text. The split only depends on the
// items, so each machine computes the same. Items with one digest, or else the same text, are in one shard,
// so no image is fetched twice; apart from that, the sizes of shards differ by at most one. O(n log n).
std::vector<size_t> items_of(const Shard& shard, std::span<const std::string> items);

} // namespace opcat
