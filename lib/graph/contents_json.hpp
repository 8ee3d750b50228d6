// Rows of contents for programs.
#pragma once

#include "graph/contents.hpp"

#include <string>
#include <vector>

namespace opcat {

// One JSON object of schema "opcat.list.v1" (docs/json-output.md), with a line break at the end.
std::string rows_as_json(const std::vector<PackageRow>& rows);
std::string rows_as_json(const std::vector<ChannelRow>& rows);
std::string rows_as_json(const std::vector<BundleRow>& rows);

} // namespace opcat
