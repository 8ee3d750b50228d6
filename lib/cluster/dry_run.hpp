// Asks the API server of a cluster about a bundle's objects, by its own dry run. It knows more than the rules
// without a cluster (lib/admission), such as policies, and what exists.
#pragma once

#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <string>
#include <vector>

namespace opcat::cluster {

enum class Olm : uint8_t;

struct DryRunQuestion {
    const BundleManifests& bundle;
    Olm olm;
    const std::string& ns;
    // The ClusterExtension that may own what exists; empty: none.
    std::string extension = {};
    // Objects that OLM makes in addition, and that must not exist already (OLM v1).
    std::vector<Object> made = {};
};

// Puts the server's answers in place of what the rules say about the same objects. What cannot be asked is
// "not checked", and so are changes of objects that exist: OLM's way of changing them is another one than
// that of a dry run. Read-only; objects are asked about side by side, the first 30. Throws KubectlError for a
// cluster that cannot be reached.
void decide_by_dry_run(const Kubectl& kubectl, const DryRunQuestion& question, BundleOutcome& outcome);

} // namespace opcat::cluster
