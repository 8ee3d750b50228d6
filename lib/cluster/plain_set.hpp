// Operators that opcat installs without any OLM: the objects of a bundle, labelled as one set.
#pragma once

#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

// The label that all objects of a set have, with the set's name as its value; and what they say about the
// bundle that they come from, as annotations.
inline constexpr const char* set_label = "opcat/set";
inline constexpr const char* set_package_annotation = "opcat/package";
inline constexpr const char* set_bundle_annotation = "opcat/bundle";
inline constexpr const char* set_version_annotation = "opcat/version";

// All objects of a set. Throws KubectlError.
std::vector<Object> objects_of_set(const Kubectl& kubectl, const std::string& set);

// Of Deployments that have the label, by set.
std::vector<OperatorState> states_of_sets(const std::vector<Object>& deployments);

struct PlainInstallRequest {
    std::string package;                    // of the catalog; without one: a bundle (directory or image)
    std::string catalog = {};               // any reference
    std::string version = {};               // a range; empty: any
    std::vector<std::string> channels = {}; // of the package; none: all
    std::vector<std::string> watch = {};    // namespaces; none: all
    bool take_over = false;                 // definitions that belong to somebody else
};

struct PlainInstallPlan {
    std::string package; // the set's name
    std::string bundle;
    std::vector<Object> definitions; // to be applied first; the namespace among them, if there is none
    std::vector<Object> others;
};

// The objects of the bundle that OLM v1 would choose of the catalog, or of the bundle itself. Changes
// nothing. Throws KubectlError, OpenRequest, BlockedChange, and Error for a bundle that cannot be read or
// installed so.
PlainInstallPlan plan_plain_install(const Kubectl& kubectl, const std::string& ns,
                                    const PlainInstallRequest& request, const Served& served,
                                    const CatalogAccess& access);

// What an earlier bundle of the set brought and this one does not. Definitions stay: users may have made
// something of them. Throws KubectlError.
std::vector<Object> left_over(const Kubectl& kubectl, const PlainInstallPlan& plan);

} // namespace opcat::cluster
