// The requirements of bundles of OLM classic, and what they provide.
#pragma once

#include "opcat/olm/package_graph.hpp"
#include "opcat/resolve/classic/requirement.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace opcat::planning {

// A requirement of a bundle that holds from a stop on.
struct Demand {
    const Bundle* by = nullptr;
    size_t requirement = 0; // its place among those of the bundle
    uint32_t from_stop = 0;
};

// The requirements of bundles and what they provide, each read once. For any thread.
class BundleFacts {
public:
    BundleFacts();
    ~BundleFacts();
    BundleFacts(const BundleFacts&) = delete;
    BundleFacts& operator=(const BundleFacts&) = delete;

    struct Known {
        classic::Entry entry;
        std::vector<classic::Requirement> requirements;
        std::string problem; // why they cannot be read; else empty
    };
    const Known& of(const Bundle& bundle);
    bool fulfils(const Bundle& bundle, const Demand& demand);
    // Returns true if any bundle of the package does.
    bool fulfils(const PackageGraph& package, const Demand& demand);

private:
    struct Table;
    std::unique_ptr<Table> table_;
};

// The demands of others that an operator must fulfil.
struct Demands {
    std::vector<Demand> all;
    BundleFacts* facts = nullptr; // if there are any
};

} // namespace opcat::planning
