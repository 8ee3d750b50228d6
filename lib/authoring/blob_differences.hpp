// Describes how the blobs of two texts of a catalog differ.
#pragma once

#include "opcat/base/thread_pool.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// The end of the sentence about what is only there.
inline constexpr std::string_view was_not_rendered = " was not rendered";

// The only sentence about a text that does not read.
inline constexpr std::string_view was_not_read = "the file cannot be read as a catalog";

// Returns what must change in a text so that it says what another does: "channel stable: entry foo.v1.2.0 is
// missing", "bundle foo.v1.1.0: image and properties differ". At least one sentence if the texts differ.
std::vector<std::string> differences_between(std::string_view there, std::string_view wanted,
                                             ThreadPool& pool);

} // namespace opcat
