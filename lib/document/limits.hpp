// What a reader accepts at most. Beyond a limit the answer is a diagnostic of rule "limit", never exhaustion.
#pragma once

#include <cstddef>

namespace opcat::limits {

constexpr size_t json_depth = 10'000; // as Go's JSON reader
constexpr size_t yaml_depth = 1'000;
constexpr size_t documents_per_file = 1'000'000;

} // namespace opcat::limits
