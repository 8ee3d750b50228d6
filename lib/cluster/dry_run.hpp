// What the API server of a cluster says of a bundle's objects, by its own dry run: it knows more than the
// rules without a cluster (lib/admission), such as policies, and what exists.
#pragma once

#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <string>

namespace opcat::cluster {

enum class Olm : uint8_t;

// Puts the server's answers in place of what the rules say about the same objects. What cannot be asked is
// "not checked". Read-only; one call if the server accepts all, else one for each object. Throws KubectlError
// for a cluster that cannot be reached.
void decide_by_dry_run(const Kubectl& kubectl, const BundleManifests& bundle, Olm olm, const std::string& ns,
                       BundleOutcome& outcome);

} // namespace opcat::cluster
