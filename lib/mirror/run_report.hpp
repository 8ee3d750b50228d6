// Reports what a run of a mirror did, or would do, for programs.
#pragma once

#include "opcat/mirror/mirror.hpp"

#include <string>
#include <vector>

namespace opcat {

// The JSON object of schema "opcat.mirror-run.v1" (docs/json-output.md), with a line break at the end.
std::string run_as_json(const MirroredImages& mirrored, const std::vector<std::string>& removed,
                        bool dry_run);

struct RunTotals {
    size_t changed = 0; // images that were copied, or are to be
    size_t there = 0;   // that were there already
    uint64_t sent = 0;  // bytes
};
RunTotals totals_of(const MirroredImages& mirrored);

// The rows of a table of the images that can be copied (base/table.hpp): bytes to send, size, names.
std::string sizes_as_rows(const MirroredImages& mirrored);

// "SOURCE=TARGET" of all images that come from a registry or an archive, one on each line; `only_missing`: of
// those that were not there.
std::string mapping_of(const MirroredImages& mirrored, bool only_missing);

// The bundles whose images failed, each once, in the order of the failures.
std::vector<std::string> incomplete_bundles(const MirroredImages& mirrored);

} // namespace opcat
