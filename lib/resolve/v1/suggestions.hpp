// What would work instead of a request that fails. Every suggestion was tried.
#pragma once

#include "resolve/v1/resolver.hpp"

#include <string>
#include <vector>

namespace opcat::olmv1 {

struct Suggestion {
    std::string change;  // what to do: "add channel fast"
    Request request;     // the request changed so
    Choice choice;       // what it resolves to
    std::string remarks; // what comes after, or what it risks; may be empty
};

// For a resolution that failed; none if nothing helps. Refers to the catalogs.
std::vector<Suggestion> suggest(const Request& request, std::span<const NamedCatalog> catalogs,
                                const Resolution& resolution);

} // namespace opcat::olmv1
