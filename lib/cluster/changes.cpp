#include "cluster/changes.hpp"

#include "base/error.hpp"
#include "cluster/resources.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat::cluster {

const Json* counterpart(const std::vector<Json>& objects, const Json& object) {
    const auto same = std::find_if(objects.begin(), objects.end(), [&](const Json& other) {
        return kind_of(other) == kind_of(object) && group_of(other) == group_of(object) &&
               name_of(other) == name_of(object) && namespace_of(other) == namespace_of(object);
    });
    return same == objects.end() ? nullptr : &*same;
}

bool require_usable_namespace(const Kubectl& kubectl, const std::string& ns) {
    const auto object = kubectl.get(resource::namespaces, ns);
    if (object && is_terminating(*object))
        throw Error(fmt::format("cannot use namespace {}: it is being deleted", ns),
                    "wait until it is gone (kubectl get namespaces), then try again");
    return object.has_value();
}

ObjectChanges::ObjectChanges(const Kubectl& kubectl, std::vector<Json> wanted)
    : kubectl_(kubectl), wanted_(std::move(wanted)) {
    const std::vector<Json> existing = kubectl.existing(wanted_);
    for (const Json& object : wanted_) {
        const Json* const current = counterpart(existing, object);
        actions_.push_back(!current                      ? Action::create
                           : satisfies(*current, object) ? Action::none
                                                         : Action::change);
    }
    drop_unchanged(existing);
}

// The API server rewrites some values ("1000m" of a processor to "1"), so only it knows whether an object
// that looks different is different.
void ObjectChanges::drop_unchanged(const std::vector<Json>& existing) {
    const std::vector<Json> different = objects_to(Action::change);
    if (different.empty()) return;
    std::vector<Json> applied;
    try {
        applied = kubectl_.applied(different);
    } catch (const KubectlError& error) {
        // The same failure will come from the real call.
        if (error.failure().may_pass() || error.kind() == FailureKind::unauthorized) throw;
        return;
    }
    for (size_t i = 0; i < wanted_.size(); ++i) {
        if (actions_[i] != Action::change) continue;
        const Json* const before = counterpart(existing, wanted_[i]);
        const Json* const after = counterpart(applied, wanted_[i]);
        if (before && after && says_the_same(*before, *after)) actions_[i] = Action::none;
    }
}

std::vector<Json> ObjectChanges::objects_to(Action action) const {
    std::vector<Json> objects;
    for (size_t i = 0; i < wanted_.size(); ++i)
        if (actions_[i] == action) objects.push_back(wanted_[i]);
    return objects;
}

bool ObjectChanges::any() const {
    return std::any_of(actions_.begin(), actions_.end(),
                       [](Action action) { return action != Action::none; });
}

bool ObjectChanges::touches(std::string_view kind) const {
    for (size_t i = 0; i < wanted_.size(); ++i)
        if (actions_[i] != Action::none && kind_of(wanted_[i]) == kind) return true;
    return false;
}

std::vector<std::string> ObjectChanges::apply(bool force_conflicts) {
    if (!any()) return {};
    std::vector<Json> objects;
    for (size_t i = 0; i < wanted_.size(); ++i)
        if (actions_[i] != Action::none) objects.push_back(wanted_[i]);
    // Whatever comes of the call, some of them may exist afterwards.
    applied_ = true;
    return kubectl_.apply(objects, force_conflicts);
}

std::vector<Json> ObjectChanges::undo() const {
    if (!applied_) return {};
    std::vector<Json> created = objects_to(Action::create);
    if (created.empty()) return {};
    std::reverse(created.begin(), created.end());
    kubectl_.remove_objects(created);
    return created;
}

} // namespace opcat::cluster
