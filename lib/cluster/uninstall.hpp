// Uninstalls an operator of either OLM: what is deleted and what stays, and the deletion.
#pragma once

#include "opcat/cluster/changes.hpp"
#include "opcat/cluster/state.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace opcat::cluster {

struct UninstallRequest {
    std::string package;
    std::string ns;               // of OLM classic
    std::string only_in = {};     // the namespace of an extension of OLM v1, if the user has named one
    std::optional<Olm> olm = {};  // nothing: the one that has installed it
    bool delete_crds = false;     // OLM v1 always deletes them
    bool delete_groups = false;   // the OperatorGroups of the namespace
    bool delete_operands = false; // the custom resources that users have made
    bool delete_shared = false;   // also what other operators use or need
    bool with_dependencies =
        false; // operators that were installed as dependencies, and that no other operator needs
};

// A CustomResourceDefinition and the custom resources of users.
struct Operands {
    std::string crd; // "widgets.example.com"
    std::vector<Object> objects;
    std::string unread; // why they could not be counted
};

// The effect on an object, or on several.
struct UninstallEffect {
    bool goes = false;
    std::string what;
};

struct UninstallPlan {
    std::optional<Olm> olm; // what has installed it; nothing: it is not installed
    std::string name;       // of the package or the ClusterExtension
    std::vector<UninstallEffect> effects;
    size_t operand_count = 0; // of custom resources, whether deleted or not
    // Other owners of the definitions that would be deleted, or of custom resources of them: sentences.
    std::vector<std::string> other_owners;
    // Objects that need the uninstalled ones: "ClusterServiceVersion shop/till.v1 requires greeter".
    std::vector<std::string> needed_by;
    std::vector<std::string> unread;  // what could not be read and why; the rest is valid nevertheless
    std::optional<Obstacle> obstacle; // more would be lost than was requested

    // The objects that are deleted: first the custom resources while the operator runs, because it may have
    // to finish them. Then the objects that make OLM delete the rest, and those that OLM leaves.
    std::vector<Object> operands;
    std::vector<Object> roots;
    std::vector<Object> rest;
    std::vector<Object> definitions; // CustomResourceDefinitions in `rest`, whose end is waited for
    // What goes with definitions, whoever deletes those: custom resources that are not listed here are not
    // deleted.
    std::vector<Operands> lost;
};

// Read-only. Throws KubectlError, and OpenRequest if it is installed in several ways.
UninstallPlan plan_uninstall(const Kubectl& kubectl, const Served& served, const UninstallRequest& request);

// Throws KubectlError if the user may not delete what the plan deletes: half of it would be worse than
// nothing.
void require_rights(const Kubectl& kubectl, const UninstallPlan& plan);

// Output and waits of the caller.
struct UninstallCallbacks {
    std::function<void(const Object&)> on_deleted;
    // Waits until nothing remains. `step` says what for, `otherwise` what would help after a time-out; the
    // callback then throws, which ends the uninstallation.
    std::function<void(const std::string& step, const std::function<std::vector<Object>()>& remaining,
                       const std::string& otherwise)>
        wait;
};
// "Widget shop/a (finalizers: example.com/clean)"; of many objects the first ones.
std::string describe_remaining(const std::vector<Object>& objects);

// Executes the plan. Returns the ClusterServiceVersions that OLM classic has installed meanwhile in place of
// those that the plan lists: the operator still runs then, and what the plan deletes after it stays, too.
// Throws KubectlError, what the callbacks throw, and Error instead of deleting a definition that has custom
// resources which the plan does not list.
std::vector<Object> uninstall(const Kubectl& kubectl, const UninstallPlan& plan,
                              const UninstallCallbacks& callbacks);

} // namespace opcat::cluster
