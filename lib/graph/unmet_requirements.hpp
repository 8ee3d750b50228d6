// Requirements of versions of packages (olm.package.required) that a catalog does not meet.
#pragma once

#include "opcat/graph/graph_view.hpp"

#include <compare>
#include <functional>
#include <string_view>
#include <vector>

namespace opcat {

// Refers to the catalog.
struct UnmetRequirement {
    std::string_view package; // of the bundle
    std::string_view bundle;
    std::string_view required; // a package
    std::string_view range;    // of its versions, as OLM classic reads it; empty: any

    friend auto operator<=>(const UnmetRequirement&, const UnmetRequirement&) = default;
};

using IsKept = std::function<bool(const PackageGraph& package, const GraphNode& bundle)>;

// Those that no bundle of the catalog meets, sorted, each once; of a package that is not there, all. Another
// catalog of a cluster may meet them. Of a catalog that only has some of its bundles, if `is_kept` is given.
// O(n + k log n) for n bundles and k comparators of ranges.
std::vector<UnmetRequirement> unmet_requirements(const UpgradeGraph& graph, const IsKept& is_kept = {});

} // namespace opcat
