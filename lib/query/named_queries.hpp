// Questions that people ask often, by name (docs/query.md).
#pragma once

#include <span>
#include <string_view>

namespace opcat::query {

struct NamedQuery {
    std::string_view name;
    std::string_view question;
    std::string_view sql;
};

// By name.
std::span<const NamedQuery> named_queries();

} // namespace opcat::query
