// The request for a plan: the minor versions of OpenShift from the cluster's to the wanted one, a catalog for
// each, and the operators that are installed.
#pragma once

#include "opcat/catalog/lifecycle.hpp"
#include "opcat/graph/graph_view.hpp"
#include "opcat/resolve/v1/ocp_upgrade.hpp"

#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::planning {

using olmv1::CatalogIndex;
using olmv1::MaxOpenShift;
using olmv1::MinorVersion;

// Throws RequestError; `what` names the text in the message: "--to".
MinorVersion read_openshift_version(std::string_view what, const std::string& text);

// A catalog of the clusters of one minor version. Its index must outlive the plan.
struct PlatformCatalog {
    MinorVersion version;
    std::string reference; // as its user named it
    const CatalogIndex* index = nullptr;
    std::string refusal = {}; // why OLM classic gets nothing of it (refusal_by_opm); empty: it does
};

// A minor version of OpenShift on the way.
struct Stop {
    MinorVersion version;
    std::vector<const PlatformCatalog*> catalogs; // none: not known
    // Nobody works on operators here: only what OLM does by itself happens (from one EUS release to the
    // next).
    bool passing = false;
};

// The minor versions from one to another, both included: 5.1 follows 4.23 and 5.0, which are one release.
// `eus`: odd versions of OpenShift 4 between the two are only passed. Throws RequestError if `to` is not
// later, or is more than 64 releases later. Refers to the catalogs.
std::vector<Stop> stops_between(const MinorVersion& from, const MinorVersion& to, bool eus,
                                const std::deque<PlatformCatalog>& catalogs);

struct InstalledOperator {
    std::string given;   // as its user names it
    std::string package; // empty: not known
    std::string bundle;  // empty: only its version is known
    std::optional<semver::VersionRelease> version;
    OlmGeneration olm = OlmGeneration::classic;
    // OLM classic: the Subscription's, none if it is not known. OLM v1: none if all count.
    std::vector<std::string> channels;
    bool names_no_channel = false; // its Subscription: OLM takes upgrades from all of them
    std::string ns;                // empty: not known
    std::string name;              // of its Subscription or ClusterExtension; empty: not known
    // OLM classic: each upgrade waits for an approval. OLM v1: exactly this version is asked for.
    bool by_hand = false;
    // OLM classic: the namespaces of its OperatorGroup, "" for all; nothing: not known.
    std::optional<std::set<std::string>> watched;
    std::optional<MaxOpenShift> own_max; // from the cluster; nothing: what its catalog says counts
    // OLM classic: the bundle to which an upgrade has begun, or else waits for an approval; empty: none.
    std::string pending;
    bool pending_waits = false;
    std::string held;    // why OLM does not upgrade it now, which may end at any time; else empty
    std::string unknown; // why nothing can be planned for it
    std::string unknown_hint;

    // "foo.v1.2.0", or "foo 1.2.0".
    std::string describe() const;
};

// Sets what OLM v1 does with this range of versions: without one it upgrades by itself, with a single version
// it stays there. `unknown` says that other ranges cannot be planned.
void apply_range(InstalledOperator& installed, std::string_view range);

// Throws RequestError if one of the named operators is named twice in a namespace, or without one, or is
// among those that were read from a cluster.
void refuse_repeated(std::span<const InstalledOperator> named, std::span<const InstalledOperator> read = {});

// Completes the bundle, the version and the channel of an operator from the catalogs, and says in `unknown`
// why nothing can be planned.
void complete(InstalledOperator& installed, std::span<const Stop> stops);

struct PlanOptions {
    Date at;                            // the day whose support counts
    olmv1::OlmRelease olm_release = {}; // of OLM v1
};

} // namespace opcat::planning
