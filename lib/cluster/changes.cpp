#include "opcat/cluster/changes.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::cluster {

bool require_usable_namespace(const Kubectl& kubectl, const std::string& ns) {
    std::optional<Object> object;
    try {
        object = kubectl.get(resource::namespaces, ns);
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        return true;
    }
    if (object && object->is_terminating())
        throw Error(fmt::format("cannot use namespace {}: it is being deleted", ns),
                    "wait until it is gone (kubectl get namespaces), then try again");
    return object.has_value();
}

ObjectChanges::ObjectChanges(const Kubectl& kubectl, std::vector<Object> wanted)
    : kubectl_(kubectl), wanted_(std::move(wanted)) {
    const std::vector<Object> existing = kubectl.existing(wanted_);
    for (const Object& object : wanted_) {
        const Object* const current = kube::find_same(existing, object);
        actions_.push_back(!current                                            ? Action::create
                           : kube::satisfies(current->value(), object.value()) ? Action::none
                                                                               : Action::change);
    }
    drop_unchanged(existing);
}

// The API server normalises some values ("1000m" of a processor to "1"), so only it knows whether an object
// really differs.
void ObjectChanges::drop_unchanged(const std::vector<Object>& existing) {
    const std::vector<Object> different = objects_to(Action::change);
    if (different.empty()) return;
    std::vector<Object> applied;
    try {
        applied = kubectl_.applied(different);
    } catch (const KubectlError& error) {
        // The actual call will report the same failure.
        if (error.failure().may_pass() || error.kind() == FailureKind::unauthorized) throw;
        return;
    }
    for (size_t i = 0; i < wanted_.size(); ++i) {
        if (actions_[i] != Action::change) continue;
        const Object* const before = kube::find_same(existing, wanted_[i]);
        const Object* const after = kube::find_same(applied, wanted_[i]);
        if (before && after && kube::is_unchanged(before->value(), after->value()))
            actions_[i] = Action::none;
    }
}

std::vector<Object> ObjectChanges::objects_to(Action action) const {
    std::vector<Object> objects;
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
        if (actions_[i] != Action::none && wanted_[i].kind() == kind) return true;
    return false;
}

bool ObjectChanges::creates(std::string_view kind) const {
    for (size_t i = 0; i < wanted_.size(); ++i)
        if (actions_[i] == Action::create && wanted_[i].kind() == kind) return true;
    return false;
}

std::vector<std::string> ObjectChanges::apply(bool force_conflicts) {
    if (!any()) return {};
    std::vector<Object> objects;
    for (size_t i = 0; i < wanted_.size(); ++i)
        if (actions_[i] != Action::none) objects.push_back(wanted_[i]);
    // Whatever the result of the call, some of them may exist afterwards.
    applied_ = true;
    return kubectl_.apply(objects, force_conflicts);
}

void ObjectChanges::check(bool force_conflicts) const {
    const auto is_created = [&](std::string_view kind, std::string_view name, std::string_view ns) {
        for (size_t i = 0; i < wanted_.size(); ++i)
            if (actions_[i] == Action::create && wanted_[i].kind() == kind && wanted_[i].name == name &&
                wanted_[i].ns == ns)
                return true;
        return false;
    };
    // Each by itself and all at the same time: the server is asked about one after the other anyway.
    std::vector<std::function<void()>> questions;
    for (size_t i = 0; i < wanted_.size(); ++i) {
        if (actions_[i] == Action::none) continue;
        const Object& object = wanted_[i];
        // The server checks the namespace, and the role of a binding, which do not exist yet.
        const bool in_new_namespace = is_created("Namespace", object.ns, {});
        const Fields role = object.at("roleRef");
        const bool of_new_role = role && is_created(role.text("kind"), role.text("name"),
                                                    role.text("kind") == "Role" ? std::string_view(object.ns)
                                                                                : std::string_view());
        if (in_new_namespace || of_new_role)
            questions.emplace_back([&] { kubectl_.require_right("create", object); });
        else
            questions.emplace_back([&] { kubectl_.try_apply({object}, force_conflicts); });
        if (in_new_namespace && !of_new_role) questions.emplace_back([&] { require_valid(object); });
    }
    kubectl_.together(questions);
}

// For a namespace that does not exist yet: the server judges the object in another one. All other failures
// may be those of that namespace.
void ObjectChanges::require_valid(const Object& object) const {
    try {
        kubectl_.try_apply({in_namespace(object, "default")}, true);
    } catch (const KubectlError& error) {
        if (error.kind() == FailureKind::invalid)
            throw KubectlError("apply " + object.describe(), error.failure());
    }
}

std::vector<Object> ObjectChanges::created() const {
    if (!applied_) return {};
    std::vector<Object> created = objects_to(Action::create);
    const std::vector<Object> existing = kubectl_.existing(created);
    std::erase_if(created, [&](const Object& object) { return !kube::find_same(existing, object); });
    return created;
}

namespace {

// Returns true for what a cluster puts into every namespace, what goes with its owner, and what is going.
bool comes_by_itself(const Object& object) {
    const std::string_view kind = object.kind();
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), object.name) != names.end();
    };
    if (object.is_terminating() || !object.items("metadata", "ownerReferences").empty() || kind == "Event")
        return true;
    if (kind == "ConfigMap") return is_one_of({"kube-root-ca.crt", "openshift-service-ca.crt"});
    if (kind == "ServiceAccount") return is_one_of({"default", "builder", "deployer"});
    if (kind == "Secret") return !object.annotation("kubernetes.io/service-account.name").empty();
    if (kind == "RoleBinding") return object.name.starts_with("system:");
    return !object.label("olm.copiedFrom").empty();
}

} // namespace

ObjectChanges::Undone ObjectChanges::undo() const {
    std::vector<Object> there = created();
    std::reverse(there.begin(), there.end());
    const auto is_namespace = [](const Object& object) { return object.kind() == "Namespace"; };
    std::vector<Object> rest = there;
    std::erase_if(rest, is_namespace);
    kubectl_.remove_objects(rest);
    Undone undone{std::move(rest), {}};
    for (const Object& object : there) {
        if (!is_namespace(object)) continue;
        std::string why;
        try {
            std::string kinds;
            for (const std::string& kind : kubectl_.kinds_in_namespaces())
                kinds += (kinds.empty() ? "" : ",") + kind;
            std::vector<Object> others = kubectl_.list(kinds, Scope::in(object.name));
            std::erase_if(others, [&](const Object& other) {
                return comes_by_itself(other) || kube::find_same(undone.deleted, other);
            });
            if (!others.empty())
                why = fmt::format("others have put something into it: {}",
                                  listed(others, 3, &Object::describe));
        } catch (const Error& error) {
            why = fmt::format("it is not known what else is in it: {}", error.what());
        }
        if (!why.empty()) {
            undone.stay.push_back(fmt::format("{} stays: {}", object.describe(), why));
            continue;
        }
        kubectl_.remove_objects({object});
        undone.deleted.push_back(object);
    }
    return undone;
}

} // namespace opcat::cluster
