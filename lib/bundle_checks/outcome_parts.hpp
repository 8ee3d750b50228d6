// Checks of a bundle that both OLMs share (outcome.hpp).
#pragma once

#include "opcat/admission/admission.hpp"
#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/go/decode.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace opcat::bundle_checks {

// The parts of a ClusterServiceVersion.
struct CsvParts {
    explicit CsvParts(const kube::Object& csv);

    std::span<const Value> deployments, permissions, cluster_permissions, webhooks, owned_crds, required_crds;
    std::set<std::string_view> deployment_names;
    std::set<std::string_view> supported_modes;

    // The service accounts that are there for its deployments: OLM makes one for each entry of the
    // permissions, a namespace has "default", and a bundle may bring others.
    std::set<std::string_view> accounts(std::span<const kube::Object> objects) const;
};

// Why the API server refuses a CustomResourceDefinition, in one message; empty if it does not. `where`: the
// first reason's.
std::string crd_refusal(const kube::Object& crd, Location& where);

// The place of the first refusal in the object's file.
Location first_place(const kube::Object& object, const std::vector<admission::Refusal>& refusals);

// Returns the part of the ClusterServiceVersion, as it is written, that does not fit its type.
std::optional<go::Misfit> misfit_of_csv(const BundleManifests& bundle, go::Route route);

// nullptr: the bundle does not have it.
const kube::Object* find_crd(const BundleManifests& bundle, std::string_view name);

} // namespace opcat::bundle_checks
