// olm.maxOpenShiftVersion: the last minor version of OpenShift that a bundle supports, as both OLMs read it
// (docs/spec/resolution-v1.md).
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/catalog/catalog.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opcat::olmv1 {

// A minor version of OpenShift: patch and prerelease are ignored.
struct MinorVersion {
    uint64_t major = 0;
    uint64_t minor = 0;

    std::string to_string() const;
    friend auto operator<=>(const MinorVersion&, const MinorVersion&) = default;
};

// The version that a cluster is upgraded to next. OpenShift 4.23 and 5.0 are one release: the next one after
// either is 5.1, as OLM and OLM v1's cluster operator count since April 2026.
MinorVersion next_version(const MinorVersion& cluster);

// The version of Kubernetes in a version of OpenShift: 4.N has 1.(N + 13), since 4.3, and 5.0 is 4.23.
// Nothing for earlier ones.
std::optional<MinorVersion> kubernetes_of(const MinorVersion& openshift);

// Returns true if a maximum allows a version.
bool allows(const MinorVersion& max, const MinorVersion& version);

// OpenShift's order: 4.23 is 5.0.
bool is_older(const MinorVersion& a, const MinorVersion& b);

// Returns true if both are one release: 4.23 is 5.0.
bool is_same_release(const MinorVersion& a, const MinorVersion& b);

// The minor version of a cluster: "4.18.3", also "4.18".
Result<MinorVersion, std::string> minor_version_of_cluster(std::string_view text);

// Nothing: no limit is declared. The error is that of OLM v1's cluster operator, word for word.
using MaxOpenShift = Result<std::optional<MinorVersion>, std::string>;

// The same for what a bundle declares: nothing allows all, and what cannot be read allows none.
bool allows(const MaxOpenShift& max, const MinorVersion& version);

// The bundle's olm.maxOpenShiftVersion: from its properties, or else from the annotation olm.properties of
// its CSV.
MaxOpenShift max_openshift_version(const Bundle& bundle);

// The same of a CSV on a cluster, where OLM classic keeps the bundle's properties in the annotation
// operatorframework.io/properties: {"properties": [...]}. `csv` is its name, for the error.
MaxOpenShift max_openshift_version(std::string_view annotation, std::string_view csv);

} // namespace opcat::olmv1
