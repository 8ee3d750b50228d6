// Operators that opcat installs without OLM: the objects of a bundle, labelled as one set.
#pragma once

#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

// The label of all objects of a set, with the set's name as its value, and the annotations that describe
// their bundle.
inline constexpr const char* set_label = "opcat/set";
inline constexpr const char* set_package_annotation = "opcat/package";
inline constexpr const char* set_bundle_annotation = "opcat/bundle";
inline constexpr const char* set_version_annotation = "opcat/version";

// All objects of a set. Throws KubectlError.
std::vector<Object> objects_of_set(const Kubectl& kubectl, const std::string& set);

// Returns the states of the sets of Deployments that have the label.
std::vector<OperatorState> states_of_sets(const std::vector<Object>& deployments);

struct PlainInstallRequest {
    std::string package;      // of the catalog; without a catalog: a bundle (directory or image)
    std::string catalog = {}; // any reference
    std::string version = {}; // a range; empty: any
    std::vector<std::string> channels = {}; // of the package; none: all
    std::vector<std::string> watch = {};    // namespaces; none: all
    bool take_over = false;                 // definitions that others own
};

struct PlainInstallPlan {
    std::string package; // the set's name
    std::string bundle;
    std::vector<Object> definitions; // to be applied first; includes the namespace if it is missing
    std::vector<Object> others;
};

// The objects of the given bundle, or of the one that OLM v1 would choose from the catalog. Read-only. Throws
// KubectlError, OpenRequest, BlockedChange, and Error for a bundle that cannot be read or installed this way.
PlainInstallPlan plan_plain_install(const Kubectl& kubectl, const std::string& ns,
                                    const PlainInstallRequest& request, const Served& served,
                                    const CatalogAccess& access);

// The objects of the set's earlier bundle that this one lacks. Definitions stay, because users may have
// custom resources of them. Throws KubectlError.
std::vector<Object> left_over(const Kubectl& kubectl, const PlainInstallPlan& plan);

} // namespace opcat::cluster
