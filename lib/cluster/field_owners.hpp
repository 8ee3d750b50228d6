// Who else declares the fields that a change is about.
#pragma once

#include "opcat/cluster/kubectl.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

// A field that another manager declares, and would set back.
struct DeclaredField {
    std::string field; // "spec.source.catalog.version"
    std::string manager;
};

// Those of the fields which a merge patch would change: a patch takes a field from its manager without
// asking. A manager declares what it applies (server-side apply), unless that is a person with kubectl; of
// those that only update objects, GitOps tools and Helm count, too. Read-only. Throws KubectlError.
std::vector<DeclaredField> declared_by_others(const Kubectl& kubectl, const Object& object,
                                              const Value& patch);

} // namespace opcat::cluster
