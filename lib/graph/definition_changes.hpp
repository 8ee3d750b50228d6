// Finds what an upgrade changes in the CustomResourceDefinitions of a bundle.
#pragma once

#include "opcat/catalog/properties.hpp"
#include "opcat/olm/package_graph.hpp"

#include <map>
#include <string>
#include <vector>

namespace opcat {

// The definitions in a bundle's properties, by name.
using DefinitionsByName = std::map<std::string, BundleObject, std::less<>>;
DefinitionsByName definitions_of(const Bundle& bundle);

// Returns what an entry replaces, or else the newest version that it skips or covers; no_node if there is
// none.
NodeId predecessor_of(const PackageGraph& package, const ChannelGraph& channel, const GraphEntry& entry);

// A definition that OLM v1 does not let replace the one before.
struct UnsafeDefinition {
    std::string name;
    std::vector<std::string> changes; // in OLM's words; empty: they are not known
    std::string unknown = {};         // why they are not
};

// Compares the definitions that both have, by name.
std::vector<UnsafeDefinition> unsafe_definitions(const DefinitionsByName& before,
                                                 const DefinitionsByName& after);

} // namespace opcat
