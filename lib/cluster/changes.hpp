// The changes that give a cluster some wanted objects, and the obstacles to a change.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::cluster {

// A remedy for an obstacle; the caller knows the flag or command for it.
enum class Remedy : uint8_t {
    as_told,                   // `help` says it
    name_catalog,              // of several
    name_catalog_alone,        // without a namespace
    search_packages,           // or name a catalog whose contents are not known yet
    add_catalog,               // or choose one that is there
    repair_catalog,            // `help` is its namespace and name
    install_elsewhere,         // in namespace `ns`, which sees the catalog that `help` names
    choose_channel,            // `help` says where the version is
    name_channel,              // or take upgrades from all channels
    create_group,              // an OperatorGroup
    choose_namespaces,         // to watch, or all
    choose_several_namespaces, // to watch: the bundle does not support all
    choose_one_namespace,      // the same, and only one
    choose_namespace,          // of the Subscription
    list_installed,            // to see what there is
    uninstall_extension,       // `help` is the ClusterExtension that owns a definition
    uninstall_set,             // `help` is the set of objects without OLM that owns a definition
    upgrade,                   // it is installed already, with other settings
    uninstall,                 // objects of an earlier installation
    uninstall_other_package,   // the ClusterExtension of this name
    reinstall,                 // in version `help`
    keep_place,                // of ClusterExtension `help`: namespace `ns`, and `account` unless it is empty
    name_account,              // that exists, or have one made
    grant_rights,              // all of them, or leave them to the user
    grant_missing,             // those that the message names
    name_bundle,               // by itself, or a package of a catalog
    take_over,                 // objects that others own
    choose_olm,                // of those that installed it
    delete_operands,           // the custom resources, if the user wants that
    keep_groups,               // the OperatorGroups of the namespace
    keep_rights,               // use an account that has them
    delete_shared,             // objects that other operators use, if the user wants that
    uninstall_users,           // first what needs it, or all the same
};

struct Obstacle {
    std::string message;
    std::string help = {};
    Remedy remedy = Remedy::as_told;
    std::string ns = {};
    std::string account = {};
};

// An obstacle because of which nothing can be planned.
template <typename Base>
class Obstructed : public Base {
public:
    explicit Obstructed(Obstacle obstacle) : Base(obstacle.message), obstacle_(std::move(obstacle)) {}
    const Obstacle& obstacle() const { return obstacle_; }

private:
    Obstacle obstacle_;
};
using OpenRequest = Obstructed<RequestError>; // the request is incomplete or contradictory
using BlockedChange = Obstructed<Error>;      // the cluster, or the content of a bundle, does not allow it

// Returns true if the namespace exists, or if the user may not see whether it does. Throws Error if it is
// being deleted.
bool require_usable_namespace(const Kubectl& kubectl, const std::string& ns);

// The steps from the cluster's objects to the wanted ones.
class ObjectChanges {
public:
    enum class Action : uint8_t { none, create, change };

    // Compares the wanted objects with the cluster's. Read-only. `kubectl` must outlive the object. Throws
    // KubectlError.
    ObjectChanges(const Kubectl& kubectl, std::vector<Object> wanted);

    const std::vector<Object>& wanted() const { return wanted_; }
    // The step for the wanted object of this index.
    Action action(size_t index) const { return actions_[index]; }
    bool any() const;
    // Returns true if an object of this kind is created or changed, or created.
    bool touches(std::string_view kind) const;
    bool creates(std::string_view kind) const;

    // Asks the server whether it would accept all changes: a dry run, and for objects in a namespace that
    // does not exist yet, a check of the user's rights and a dry run in another one. Read-only. Throws
    // KubectlError.
    void check(bool force_conflicts) const;
    // Creates and changes the objects that differ, in the order of the wanted objects: a namespace precedes
    // its contents. Returns the server's warnings. Throws KubectlError; some of the objects may then have
    // been created.
    std::vector<std::string> apply(bool force_conflicts);
    // The objects that `apply` created and that exist; also after `apply` has thrown. Throws KubectlError.
    std::vector<Object> created() const;
    // Deletes the objects that `apply` created, and no others; also after `apply` has thrown. A namespace
    // stays if something else is in it, or if that is not known. Throws KubectlError.
    struct Undone {
        std::vector<Object> deleted;
        std::vector<std::string> stay; // sentences
    };
    Undone undo() const;

private:
    void drop_unchanged(const std::vector<Object>& existing);
    void require_valid(const Object& object) const;
    std::vector<Object> objects_to(Action action) const;

    const Kubectl& kubectl_;
    std::vector<Object> wanted_;
    std::vector<Action> actions_; // of each wanted object
    bool applied_ = false;
};

} // namespace opcat::cluster
