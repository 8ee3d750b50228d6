// Reports the result of a check of a mirror, for people and for programs.
#pragma once

#include "opcat/mirror/check.hpp"

#include <string>
#include <vector>

namespace opcat {

// Lines of cells for a table, the first with the titles: each part that is missing, damaged or unknown.
std::string check_as_rows(const std::vector<CheckedImage>& images);

// The JSON object of schema "opcat.mirror-check.v1" (docs/json-output.md), with a line break at the end.
std::string check_as_json(const std::vector<CheckedImage>& images, const CheckTotals& totals, bool verified);

// The numbers of images with faults that were not repaired, and of images about which nothing is known.
struct FaultyImages {
    size_t broken = 0;
    size_t unknown = 0;
};
FaultyImages count_faulty(const std::vector<CheckedImage>& images);

} // namespace opcat
