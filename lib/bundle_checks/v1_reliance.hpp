// Finds what an operator relies on that OLM classic gives it and OLM v1 does not (docs/spec/resolution-v1.md,
// "What an operator misses").
#pragma once

#include "opcat/bundle_checks/outcome.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct Reliance {
    std::string_view rule; // of lint/rules.hpp
    std::string message;
    std::string_view since; // which releases of OLM v1 this is true of
    Location where = {};
};

// From a ClusterServiceVersion whose fields have Go's spelling: at most one for each rule.
std::vector<Reliance> reliance_on_classic(const kube::Object& csv);

// The part of it that annotations say, of a ClusterServiceVersion or of a property olm.csv.metadata.
std::vector<Reliance> reliance_of_annotations(const kube::Fields& annotations);

} // namespace opcat
