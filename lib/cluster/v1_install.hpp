// Plans the installation and the upgrade of an operator with OLM v1: the ClusterExtension, the rights of its
// account, and what prevents OLM from starting.
#pragma once

#include "opcat/cluster/account_rights.hpp"
#include "opcat/cluster/changes.hpp"
#include "opcat/cluster/installer_rights.hpp"
#include "opcat/cluster/prediction.hpp"
#include "opcat/cluster/state.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat::cluster {

// The request to OLM v1, and the prediction for it. The prediction refers to the rest.
struct V1Question {
    V1Question(const Kubectl& kubectl, const PredictedExtension& extension, olmv1::Request asked,
               const CatalogAccess& access);
    V1Question(const V1Question&) = delete;
    V1Question& operator=(const V1Question&) = delete;

    olmv1::Request request;
    V1Catalogs catalogs;
    V1Prediction prediction;
};

// The rights that the installing account is given.
enum class InstallerRights : uint8_t {
    derived, // the minimum for the bundle
    cluster_admin,
    none // and no account is created
};

// The settings of an extension in a request besides its package and its place.
struct ExtensionSettings {
    kube::Labels catalog_labels = {};              // of the catalogs to choose from, in place of a name
    Object config = {};                            // fields of spec.config.inline; nothing: none
    std::optional<int64_t> progress_deadline = {}; // in minutes
    std::string crd_upgrade_safety = {};           // Strict, None; empty: as it is
    kube::Labels labels = {};                      // of all objects that are made

    bool any() const { return config || progress_deadline || !crd_upgrade_safety.empty() || !labels.empty(); }
};

struct V1InstallRequest {
    std::string package;
    std::string version = {};               // a range; empty: any
    std::vector<std::string> channels = {}; // none: all
    std::string catalog = {};               // empty: any
    std::string service_account = {};       // empty: the extension's own
    ExtensionSettings settings = {};
    InstallerRights rights = InstallerRights::derived;
    std::optional<unsigned> rights_for = std::nullopt; // RightsScope::oldest
    std::optional<olmv1::Policy> policy = {};
};

struct V1InstallPlan {
    ExtensionSpec spec;
    InstallerRights rights = InstallerRights::derived;
    RightsScope scope = {};
    bool namespace_exists = false;
    std::optional<Object> existing; // the extension, if it exists already
    std::unique_ptr<const V1Question> question;
};

// Read-only. Throws KubectlError, OpenRequest, BlockedChange, RequestError for invalid names, and Error for a
// namespace that is being deleted.
V1InstallPlan plan_v1_install(const Kubectl& kubectl, const std::string& ns, const V1InstallRequest& request,
                              const Served& served, const CatalogAccess& access);

// Returns an obstacle that prevents OLM from starting at all: an extension cannot change its namespace or its
// account (Remedy::keep_place), and OLM waits for a missing account (Remedy::name_account). Throws
// KubectlError.
std::optional<Obstacle> obstacle_to(const V1InstallPlan& plan, const Kubectl& kubectl);

struct V1InstallObjects {
    std::vector<Object> wanted;       // to apply, in this order
    std::vector<std::string> remarks; // what exists already and stays unchanged
};

// If OLM ignores the account, neither account nor rights are created, unless they are requested for an older
// release. An existing account that opcat has not created is used and not changed. Throws KubectlError,
// OpenRequest or BlockedChange if the rights cannot be derived, and BlockedChange if roles of other origin
// have their names.
V1InstallObjects objects_of(const V1InstallPlan& plan, const Kubectl& kubectl, const Served& served);

struct V1UpgradeRequest {
    std::string package;
    std::string to = {};                    // a range of versions; empty: any
    std::vector<std::string> channels = {}; // none: the extension's
    std::string catalog = {};               // to move to; empty: those that the extension selects
    ExtensionSettings settings = {};
    std::optional<olmv1::Policy> policy = {}; // nothing: as the extension says
};

struct V1UpgradePlan {
    Object extension; // as it is
    Object patch;
    Object config;       // spec.config.inline afterwards
    kube::Labels labels; // for all objects that are made
    // The object that restores the policy after SelfCertified was needed once; nothing if the extension had
    // that before.
    std::optional<Object> restore;
    std::unique_ptr<const V1Question> question;
};

// Read-only. Throws KubectlError, and OpenRequest if the package is not installed.
V1UpgradePlan plan_v1_upgrade(const Kubectl& kubectl, const V1UpgradeRequest& request,
                              const CatalogAccess& access);

// Returns the rights that the account lacks to install the bundles if opcat grants none: with
// InstallerRights::none, and for an upgrade if opcat has not derived the account's rights. Otherwise nothing
// is missing. Throws KubectlError.
AccountRights account_rights(const V1InstallPlan& plan, const Kubectl& kubectl, const Served& served);
AccountRights account_rights(const V1UpgradePlan& plan, const Kubectl& kubectl, const Served& served);

// The rights that the account needs for the old version and the new ones, if opcat has derived its rights and
// the upgrade changes the version; else none. Throws Error.
std::vector<Object> renewed_rights(const V1UpgradePlan& plan, const Kubectl& kubectl, const Served& served);

} // namespace opcat::cluster
