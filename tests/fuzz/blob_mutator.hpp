// Changes of catalogs that keep most of their structure, for targets that read them: blocks are removed,
// copied and moved, and words take the place of others. Half of all changes are libFuzzer's own, of single
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace opcat::fuzz {

// As LLVMFuzzerCustomMutator: changes the first `size` of `max_size` bytes, and returns the new size.
size_t mutate_blobs(uint8_t* data, size_t size, size_t max_size, unsigned seed);

} // namespace opcat::fuzz
