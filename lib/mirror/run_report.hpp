// Reports what a run of a mirror did, or would do, for programs.
#pragma once

#include "opcat/mirror/mirror.hpp"

#include <string>
#include <vector>

namespace opcat {

// The JSON object of schema "opcat.mirror-run.v1" (docs/json-output.md), with a line break at the end.
std::string run_as_json(const MirroredImages& mirrored, const std::vector<std::string>& removed,
                        bool dry_run);

// "SOURCE=TARGET" of all images that come from a registry or an archive, one on each line; `only_missing`: of
// those that were not there.
std::string mapping_of(const MirroredImages& mirrored, bool only_missing);

// The bundles whose images failed, each once, in the order of the failures.
std::vector<std::string> incomplete_bundles(const MirroredImages& mirrored);

} // namespace opcat
