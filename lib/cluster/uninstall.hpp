// Uninstalling an operator, with whichever OLM it is installed: what goes, what stays, and doing it.
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
    std::string ns;                 // of OLM classic
    std::optional<Olm> olm = {};    // nothing: the one that has installed it
    bool delete_crds = false;       // OLM v1 deletes them whatever this says
    bool delete_groups = false;     // the OperatorGroups of the namespace
    bool delete_operands = false;   // the custom resources that users have made
    bool delete_shared = false;     // also what other operators use
    bool with_dependencies = false; // operators that came along, and that no other operator needs
};

// What becomes of an object, or of several.
struct UninstallEffect {
    bool goes = false;
    std::string what;
};

struct UninstallPlan {
    std::optional<Olm> olm; // what has installed it; nothing: it is not installed
    std::string name;       // of the package or the ClusterExtension
    std::vector<UninstallEffect> effects;
    size_t operand_count = 0; // of custom resources, whatever becomes of them
    // Other owners of the definitions that would be deleted, or whose custom resources would: sentences.
    std::vector<std::string> other_owners;
    std::optional<Obstacle> obstacle; // more would be lost than was asked for

    // What is deleted: first the custom resources, while the operator runs: it may have to finish them. Then
    // what makes OLM delete the rest, and what OLM leaves behind.
    std::vector<Object> operands;
    std::vector<Object> roots;
    std::vector<Object> rest;
};

// Changes nothing. Throws KubectlError, and OpenRequest if it is installed in several ways.
UninstallPlan plan_uninstall(const Kubectl& kubectl, const Served& served, const UninstallRequest& request);

// What a caller shows and waits for meanwhile.
struct UninstallCallbacks {
    std::function<void(const Object&)> on_deleted;
    // Called to wait until `gone` answers true. `step` says what for, `otherwise` what it means if that does
    // not come true; then the callback throws, which ends the uninstallation.
    std::function<void(const std::string& step, const std::function<bool()>& gone,
                       const std::string& otherwise)>
        wait;
};

// Does what the plan says. Throws KubectlError, and what the callbacks throw.
void uninstall(const Kubectl& kubectl, const UninstallPlan& plan, const UninstallCallbacks& callbacks);

} // namespace opcat::cluster
