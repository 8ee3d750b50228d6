// Questions that people ask often, by name (docs/query.md).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace opcat::query {

struct NamedQuery {
    std::string_view name;
    std::string_view question;
    std::string_view sql;
    size_t catalogs = 1; // that it needs at least
};

// By name.
std::span<const NamedQuery> named_queries();

} // namespace opcat::query
