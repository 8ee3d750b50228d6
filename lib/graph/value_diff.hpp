// The differences between two values, as sentences that name the path of each.
#pragma once

#include "opcat/document/value.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// A value in a sentence: a text as it is, others as JSON; long ones are cut.
std::string in_words(const Value& value);

// Adds "PATH was X and is Y", "PATH is now Y" or "PATH was X and is gone" for each difference. Items of lists
// are paired by what identifies them (name, type, kind, …), else in their order. `path` is that of the two
// values; `left_out` says which members of theirs are compared elsewhere. At most 30 sentences, then how many
// more there are. Near-linear.
void add_value_changes(const Value& before, const Value& after, const std::string& path,
                       std::vector<std::string>& details,
                       const std::function<bool(std::string_view key)>& left_out = {});

// The same for members that may be missing (nullptr).
void add_value_changes(const Value* before, const Value* after, const std::string& path,
                       std::vector<std::string>& details);

} // namespace opcat
