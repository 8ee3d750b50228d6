// Where automatic upgrades lead over time.
#pragma once

#include "resolve/v1/resolver.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace opcat::olmv1 {

struct Hop {
    Choice choice;
    std::string edge; // why it is reached from what was installed before; empty for an installation
};

struct Journey {
    enum class End : uint8_t {
        stays,  // the last one resolves to itself
        fails,  // the next resolution fails, with `error`
        circles // back to what was installed before
    };
    std::vector<Hop> hops; // without what is installed at the start, if it stays
    End end = End::stays;
    std::string error;
};

// Resolves again from each result until nothing moves. Ends always: no bundle is left twice.
Journey travel(const Request& request, std::span<const NamedCatalog> catalogs);

} // namespace opcat::olmv1
