// The names of the one binary.
#pragma once

#include <string_view>

namespace opcat {

// Besides opcat; tools/opcat/CMakeLists.txt makes the same links.
constexpr std::string_view other_names[] = {"opm", "kubectl-opcat"};

} // namespace opcat
