// A set of ranks that only shrinks.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace opcat {

// The ranks 0 … size-1. Going through all that are left in some interval costs near-constant time for each
// rank that is there, none for those that were removed.
class RankSet {
public:
    explicit RankSet(uint32_t size) : next_(size_t{size} + 1) { std::iota(next_.begin(), next_.end(), 0U); }

    // The first that is left from `rank` on, or the size.
    uint32_t first_from(uint32_t rank) {
        uint32_t root = rank;
        while (next_[root] != root) root = next_[root];
        while (next_[rank] != root) {
            const uint32_t after = next_[rank];
            next_[rank] = root;
            rank = after;
        }
        return root;
    }
    void remove(uint32_t rank) { next_[rank] = rank + 1; }

private:
    std::vector<uint32_t> next_;
};

} // namespace opcat
