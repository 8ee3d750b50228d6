// Reads the entries of a segment: a tar file as opcat writes it. All throw Error with a reason that does not
// name the file.
#pragma once

#include "opcat/base/regular_file.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace opcat {

struct SegmentEntry {
    std::string path;
    uint64_t at = 0; // its first byte
    uint64_t size = 0;
};

// The entry whose head is at `at`, which moves to the next one. Nothing at the end.
std::optional<SegmentEntry> next_entry(const RegularFile& file, uint64_t& at);

// Calls `take` with the bytes of a part of a file.
void read_part(const RegularFile& file, uint64_t at, uint64_t size,
               const std::function<void(std::string_view)>& take);

} // namespace opcat
