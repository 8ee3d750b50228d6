// Which Operator Lifecycle Manager a cluster has.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace opcat::cluster {

enum class Olm : uint8_t { classic, v1, none };

std::string_view to_string(Olm olm);

// What the API groups of a cluster tell.
struct Served {
    bool classic = false;
    bool packages = false; // OLM classic's PackageManifests
    bool v1 = false;
    bool cert_manager = false;

    static Served of(const std::set<std::string>& groups);
    bool has(Olm olm) const { return olm == Olm::none || (olm == Olm::classic ? classic : v1); }
};

} // namespace opcat::cluster
