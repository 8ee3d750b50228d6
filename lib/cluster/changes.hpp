// What has to change on a cluster so that it has some objects, and what is in the way of a change.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::cluster {

// What would help against an obstacle: the caller knows how that is asked for.
enum class Remedy : uint8_t {
    none,
    as_told,                 // `help` says it
    name_catalog,            // of several
    name_catalog_alone,      // without a namespace
    search_packages,         // or name a catalog whose contents are not known yet
    add_catalog,             // or choose one that is there
    repair_catalog,          // `help` is its namespace and name
    install_elsewhere,       // in namespace `ns`, which sees the catalog that `help` names
    choose_channel,          // `help` says where the version is
    create_group,            // an OperatorGroup
    choose_namespaces,       // to watch
    choose_namespace,        // of the Subscription
    list_installed,          // to see what there is
    uninstall_extension,     // `help` is the ClusterExtension that owns a definition
    uninstall_set,           // `help` is the set of objects without OLM that owns a definition
    upgrade,                 // it is installed already, with other settings
    uninstall,               // what is left of an earlier installation
    uninstall_other_package, // the ClusterExtension of this name
    reinstall,               // in version `help`
    keep_place,              // of ClusterExtension `help`: namespace `ns`, and `account` unless it is empty
    name_account,            // that exists, or have one made
    grant_rights,            // all of them, or leave them to the user
    grant_missing,           // those that the message names
    name_bundle,             // by itself, or a package of a catalog
    take_over,               // what belongs to somebody else
    choose_olm,              // of those that have installed it
    delete_operands,         // the custom resources, if that is meant
    keep_groups,             // the OperatorGroups of the namespace
    keep_rights,             // use an account that has them
    delete_shared,           // what other operators use, if that is meant
};

struct Obstacle {
    std::string message;
    std::string help = {};
    Remedy remedy = Remedy::as_told;
    std::string ns = {};
    std::string account = {};
};

// An obstacle that leaves nothing to plan.
template <typename Base>
class Obstructed : public Base {
public:
    explicit Obstructed(Obstacle obstacle) : Base(obstacle.message), obstacle_(std::move(obstacle)) {}
    const Obstacle& obstacle() const { return obstacle_; }

private:
    Obstacle obstacle_;
};
using OpenRequest = Obstructed<RequestError>; // the request leaves something open, or makes no sense
using BlockedChange = Obstructed<Error>;      // the cluster, or what a bundle holds, does not allow it

// Whether the namespace exists. Throws Error if it is being deleted.
bool require_usable_namespace(const Kubectl& kubectl, const std::string& ns);

// The steps from the objects that a cluster has to those that it should have.
class ObjectChanges {
public:
    enum class Action : uint8_t { none, create, change };

    // Compares the wanted objects with the cluster's. Changes nothing. `kubectl` must outlive the object.
    // Throws KubectlError.
    ObjectChanges(const Kubectl& kubectl, std::vector<Object> wanted);

    const std::vector<Object>& wanted() const { return wanted_; }
    // What to do so that there is the wanted object of this index.
    Action action(size_t index) const { return actions_[index]; }
    bool any() const;
    // Whether an object of this kind is created or changed, or created.
    bool touches(std::string_view kind) const;
    bool creates(std::string_view kind) const;

    // Asks the server whether it would take all of it: a dry run, and for what lies in a namespace that is
    // still to be created, the user's rights. Changes nothing. Throws KubectlError.
    void check(bool force_conflicts) const;
    // Creates and changes what is not as wanted, in the order of the wanted objects: a namespace comes before
    // what lies in it. Returns what the server warns of. Throws KubectlError; some of the objects may then
    // have been created.
    std::vector<std::string> apply(bool force_conflicts);
    // What `apply` created, as far as it is there; may be called after `apply` has thrown. Throws
    // KubectlError.
    std::vector<Object> created() const;
    // Deletes what `apply` created, and nothing else; may be called after `apply` has thrown. Returns what it
    // deleted. Throws KubectlError.
    std::vector<Object> undo() const;

private:
    void drop_unchanged(const std::vector<Object>& existing);
    std::vector<Object> objects_to(Action action) const;

    const Kubectl& kubectl_;
    std::vector<Object> wanted_;
    std::vector<Action> actions_; // of each wanted object
    bool applied_ = false;
};

} // namespace opcat::cluster
