// Checks the names that users give for a run: a name that does not exist would pass without a check.
#pragma once

#include "opcat/policy/policy.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat::policy {

// Why the request is refused: neither the repository nor, unless it is nullptr, the one before the change has
// the operator, one of its bundles or one of the catalogs.
std::optional<RequestError> unknown_name_in(const StaticRequest& request, const Repository& repository,
                                            const Repository* base);

// Throws RequestError if a name is not that of a static test of one of the policies: no others can be waived.
void require_static_tests(const std::vector<std::string>& names, std::span<const Pipeline> policies);

} // namespace opcat::policy
