// The names of the one binary.
#pragma once

#include <string_view>

namespace opcat {

// Besides opcat: opm's, the one by which kubectl finds a plugin, and the one that it asks to complete the
// plugin's command lines. tools/opcat/CMakeLists.txt makes the same links.
constexpr std::string_view other_names[] = {"opm", "kubectl-opcat", "kubectl_complete-opcat"};

} // namespace opcat
