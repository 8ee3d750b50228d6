// Predicts what OLM will do on a cluster, from the cluster's own state and the content of its catalogs: OLM
// classic in a namespace, OLM v1 with a ClusterExtension.
#pragma once

#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/classic_state.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/registry_v1.hpp"
#include "opcat/resolve/classic/preflight.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opcat::cluster {

// ---- OLM classic

struct ClassicPredictionRequest {
    const ClassicObjects& objects; // of the cluster (read_classic)
    std::string ns;                // of the Subscription
    std::string package;
    // Objects that are about to be created or changed; they replace existing ones of the same kind and name.
    std::vector<Object> added;
    classic::InputNames inputs = {};
    std::string server_version = {}; // of Kubernetes; empty: unknown
    // The CSV up to which InstallPlans will be approved, including those that wait; empty: none will be.
    std::string approved_to = {};
    // The cluster, for comparing its CustomResourceDefinitions and APIs with those of the bundles; nullptr:
    // no comparison.
    const Kubectl* kubectl = nullptr;
};

struct ClassicPrediction {
    bool possible = false;
    std::string impossible;            // why there is none
    std::vector<std::string> warnings; // about objects of the cluster that could not be read
    std::vector<std::string> remarks;  // its sources, and what it leaves out
    std::vector<std::string> plan;     // sentences: what is installed, what is upgraded
    std::string error;                 // why it will fail; empty: it will succeed
    std::vector<std::string> because;
    std::vector<std::string> try_this;
    std::string target;            // the Subscription's last CSV; empty: unknown
    std::vector<std::string> path; // the package's CSVs that follow the installed one
    // True if the installed CSV is in the Subscription's catalog and its channel, and if none is installed.
    bool installed_in_catalog = true;
    bool installed_in_channel = true;
    std::vector<std::string> deprecations; // of the package, its channel and the last bundle
    // The Subscription's catalog, "namespace/name", if its tag has newer content than the cluster serves.
    std::string newer_waits;

    // Each once: several rounds find the same.
    void add_warning(std::string warning) { add_once(warnings, std::move(warning)); }
    void add_remark(std::string remark) { add_once(remarks, std::move(remark)); }

private:
    static void add_once(std::vector<std::string>& all, std::string one) {
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
    }
};

// Follows automatic upgrades to their end. Catalogs are read in the version that the cluster serves, if their
// pods report it (request.objects.pods). A catalog that cannot be read is a remark, or makes the prediction
// impossible.
ClassicPrediction predict_classic(const ClassicPredictionRequest& request, const CatalogAccess& access);

// ---- OLM v1

// The bundles that OLM installs one after the other: a range of versions, or none, can lead over several.
// The first `most_steps_shown` are compared with the cluster.
inline constexpr size_t most_steps_shown = 10;
struct PredictedPath {
    std::vector<olmv1::Choice> steps; // the first is the resolution's choice; empty: unknown
    std::string end;                  // the last bundle; empty: unknown, or it never ends
};

struct V1Prediction {
    olmv1::Resolution resolution;
    PredictedPath path;
    // Why OLM cannot apply the CustomResourceDefinitions of the path's bundles: others own them, or the
    // change loses data. In OLM's words.
    std::vector<std::string> problems;
    bool needs_watch_namespace = false; // naming one would help
    bool refused_by_preflight = false;  // OLM would do it if it did not check definitions
    std::vector<std::string>
        remarks; // why this catalog if others have the package; problems that OLM ignores
    // Why nothing is known about these definitions; empty if they are known.
    std::string definitions_unknown;
};

// Returns true if catalogs of lower priorities than those read would change nothing: they have every bundle
// of the path to its end, and nothing of it is deprecated, in which case OLM would take another catalog's.
bool is_decided(const olmv1::Request& request, const V1Catalogs& catalogs);

// A ClusterExtension, which need not exist yet.
struct PredictedExtension {
    std::string name;
    InstallPlace place;             // where it is installed, and what it watches
    bool checks_definitions = true; // spec.install.preflight.crdUpgradeSafety.enforcement is not None
    Object config = {};             // spec.config.inline; nothing: there is none
    // A revision that has not rolled out: OLM v1 resolves nothing else until it has. The request then names
    // its bundle as installed.
    std::optional<Revision> rolling_out = {};
};

// The result refers to `request` and `catalogs`. Throws KubectlError.
V1Prediction predict_v1(const Kubectl& kubectl, const PredictedExtension& extension,
                        const olmv1::Request& request, const V1Catalogs& catalogs);

// The objects that OLM would create from each bundle of the path. Throws Error.
std::vector<std::vector<Object>> render_path(const PredictedPath& path, const V1Catalogs& catalogs,
                                             const InstallPlace& place);

} // namespace opcat::cluster
