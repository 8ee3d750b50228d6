// The parts of all shards as the output of one machine.
#pragma once

#include "opcat/shard/part.hpp"

#include <functional>
#include <span>
#include <string_view>

namespace opcat {

// Receives the merged output in order.
using MergeSink = std::function<void(std::string_view)>;

// Combines the parts into the output of a single machine; failed items have no output. The parts belong to
// one run (`require_whole_run`). Linear in the size of the data, O(n log n) in the number of blobs. Throws
// Error for data that cannot be read, or that does not match its index.
void merge_parts(std::span<const Part> parts, const MergeSink& sink);

// The items that failed, in their order.
std::vector<const PartItem*> failed_items(std::span<const Part> parts);

} // namespace opcat
