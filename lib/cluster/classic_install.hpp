// Plans the installation and the upgrade of an operator with OLM classic: which catalog, channel and bundle,
// which OperatorGroup, and which obstacles there are.
#pragma once

#include "opcat/cluster/changes.hpp"
#include "opcat/cluster/prediction.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace opcat::cluster {

struct ClassicInstallRequest {
    std::string package;
    std::string channel = {};            // empty: the package's default
    bool any_channel = false;            // let OLM take upgrades from all channels of the package
    std::string version = {};            // or the bundle's name; empty: the channel's head
    std::string catalog = {};            // NAME or NAMESPACE/NAME; empty: the one that has the package
    std::vector<std::string> watch = {}; // namespaces
    bool all_namespaces = false;         // watch all of them
    bool create_group = false;           // make an OperatorGroup in an existing namespace
    std::optional<bool> manual = {};     // who approves; nothing: unchanged, or automatically
    classic::InputNames inputs = {};     // for the help of the prediction
};

struct ClassicInstallPlan {
    std::vector<Object> wanted; // in the order of application
    ClassicPrediction prediction;
    std::vector<Obstacle> obstacles; // obstacles in addition to those of the prediction
    bool manual = false;             // InstallPlans wait for approval
    std::string goal;                // the CSV at the end; empty: unknown
    std::string installed;           // the CSV of the Subscription that is there already; may be empty
};

// Read-only. `warn` receives what could not be read. Throws KubectlError, OpenRequest, and Error for a
// namespace that is being deleted.
ClassicInstallPlan plan_classic_install(const Kubectl& kubectl, const std::string& ns,
                                        const ClassicInstallRequest& request, const CatalogAccess& access,
                                        const std::function<void(const std::string&)>& warn);

struct ClassicUpgradeRequest {
    std::string package;
    std::string channel = {}; // the target; empty: the Subscription's
    std::string catalog = {}; // NAME or NAMESPACE/NAME to move to; empty: the Subscription's
    std::string to = {};      // the target version, or its bundle's name; empty: any
    classic::InputNames inputs = {};
};

struct ClassicUpgradePlan {
    Object subscription;                  // as it is
    std::vector<std::string> others = {}; // sentences about other Subscriptions for the package
    OperatorState before;
    SubscriptionMove move;            // what changes in the Subscription
    std::string target;               // the CSV at the end; empty: no target was given
    std::string version;              // of the target; what the user asked for if no catalog has it
    std::optional<Obstacle> obstacle; // OLM has no upgrade path to it: nothing is predicted
    bool done = false;                // it is installed and ready: nothing is predicted
    ClassicPrediction prediction;
    std::string no_upgrade; // why nothing follows the installed version although it is not a channel's head
    std::optional<Object> waiting; // the InstallPlan that waits for approval
};

// Read-only. Throws KubectlError, OpenRequest if the namespace has no Subscription, and Error if the
// namespace is being deleted.
ClassicUpgradePlan plan_classic_upgrade(const Kubectl& kubectl, const std::string& ns,
                                        const ClassicUpgradeRequest& request, const CatalogAccess& access);

// The Subscription of a package. Throws OpenRequest if the namespace has none.
const Object& require_subscription(const ClassicObjects& objects, const std::string& package,
                                   const std::string& ns);

} // namespace opcat::cluster
