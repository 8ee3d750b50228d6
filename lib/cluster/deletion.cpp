// Executes the plan of an uninstallation.
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/uninstall.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace opcat::cluster {
namespace {

const char* resource_of(const Object& object) {
    const std::string_view kind = object.kind();
    if (kind == "Subscription") return resource::subscriptions;
    if (kind == "ClusterServiceVersion") return resource::csvs;
    if (kind == "OperatorGroup") return resource::operator_groups;
    if (kind == "ClusterExtension") return resource::cluster_extensions;
    if (kind == "Operator") return resource::operators;
    return resource::crds;
}

Scope scope_of(const Object& object) {
    return object.ns.empty() ? Scope::cluster() : Scope::in(object.ns);
}

// Users may make custom resources while a question is open, and while the cluster cleans up: nobody has
// agreed to lose those. `later`: what would have been deleted after the definition.
void require_announced(const Kubectl& kubectl, const Operands& lost, const std::vector<Object>& later,
                       const std::string& help) {
    if (!lost.unread.empty()) return; // it was said that their number is not known
    std::vector<Object> others = kubectl.list(lost.crd, Scope::everywhere());
    std::erase_if(others, [&](const Object& one) { return kube::find_same(lost.objects, one) != nullptr; });
    if (others.empty()) return;
    throw Error(
        fmt::format("CustomResourceDefinition {} is not deleted: it has custom resources that were made "
                    "meanwhile: {}{}",
                    lost.crd, listed(others, 5, &Object::describe),
                    later.empty() ? std::string()
                                  : fmt::format("; {} not deleted, either: {}",
                                                later.size() == 1 ? "this is" : "these are",
                                                listed(later, later.size(), &Object::describe))),
        help);
}

// An upgrade may have been on its way. OLM's label has the package, and a CSV says which one it replaces.
std::vector<Object> successors_of(const Kubectl& kubectl, const UninstallPlan& plan) {
    if (plan.roots.empty()) return {};
    const Object& first = plan.roots.front(); // all are in one namespace
    const std::vector<Object> csvs = kubectl.list(resource::csvs, Scope::in(first.ns), "!olm.copiedFrom");
    const std::string label = fmt::format("operators.coreos.com/{}.{}", plan.name, first.ns);
    std::multimap<std::string_view, const Object*> by_replaced;
    for (const Object& csv : csvs) by_replaced.emplace(csv.text("spec", "replaces"), &csv);
    std::set<std::string_view> seen; // names of those that go, and of what has followed them
    std::vector<std::string_view> followed;
    for (const Object& root : plan.roots)
        if (root.kind() == "ClusterServiceVersion" && seen.insert(root.name).second)
            followed.push_back(root.name);
    std::vector<Object> found;
    const auto add = [&](const Object& csv) {
        if (!seen.insert(csv.name).second) return;
        found.push_back(csv);
        followed.push_back(csv.name);
    };
    for (const Object& csv : csvs)
        if (csv.at("metadata", "labels").at(label)) add(csv);
    while (!followed.empty()) {
        const auto [begin, end] = by_replaced.equal_range(followed.back());
        followed.pop_back();
        for (auto one = begin; one != end; ++one) add(*one->second);
    }
    return found;
}

} // namespace

std::string describe_remaining(const std::vector<Object>& objects) {
    constexpr size_t most = 5;
    return listed(objects, most, [](const Object& object) {
        const std::string finalizers = finalizers_of(object);
        return fmt::format("{} ({})", object.describe(),
                           !object.is_terminating() ? "it is not being deleted"
                           : finalizers.empty()     ? "no finalizers"
                                                    : "finalizers: " + finalizers);
    });
}

void require_rights(const Kubectl& kubectl, const UninstallPlan& plan) {
    std::map<std::pair<std::string, std::string>, const Object*> kinds; // with their namespaces
    for (const std::vector<Object>* some : {&plan.operands, &plan.roots, &plan.rest})
        for (const Object& object : *some)
            kinds.emplace(
                std::pair(fmt::format("{} {}", object.text("apiVersion"), object.kind()), object.ns),
                &object);
    std::vector<std::function<void()>> questions;
    questions.reserve(kinds.size());
    for (const auto& [kind, object] : kinds)
        questions.emplace_back([&kubectl, object = object] { kubectl.require_right("delete", *object); });
    kubectl.together(questions);
}

std::vector<Object> uninstall(const Kubectl& kubectl, const UninstallPlan& plan,
                              const UninstallCallbacks& callbacks) {
    const auto remove_each = [&](const std::vector<Object>& objects) {
        for (size_t i = 0; i < objects.size(); ++i) {
            const Object& object = objects[i];
            for (const Operands& lost : plan.lost)
                if (is_crd(object) && lost.crd == object.name)
                    require_announced(
                        kubectl, lost, {objects.begin() + static_cast<ptrdiff_t>(i) + 1, objects.end()},
                        fmt::format("the operator is gone; kubectl delete "
                                    "customresourcedefinition {} deletes both, if that is meant",
                                    object.name));
            kubectl.remove(resource_of(object), object.name, scope_of(object));
            callbacks.on_deleted(object);
        }
    };
    const auto remove_all = [&](const std::vector<Object>& objects) {
        kubectl.remove_objects(objects);
        for (const Object& object : objects) callbacks.on_deleted(object);
    };
    const Kubectl looking = kubectl.without_patience();
    const auto remaining = [&](const std::vector<Object>& objects) {
        std::vector<Object> names; // a ClusterServiceVersion may have a MiB, and is asked for every second
        names.reserve(objects.size());
        for (const Object& object : objects)
            names.push_back(
                object_of(named_object(std::string(object.text("apiVersion")).c_str(),
                                       std::string(object.kind()).c_str(), object.name, object.ns)));
        return [&looking, names] { return looking.existing(names); };
    };

    if (!plan.operands.empty()) {
        kubectl.remove_objects(plan.operands);
        callbacks.wait(
            fmt::format("waiting for the end of {}", counted(plan.operands.size(), "custom resource")),
            remaining(plan.operands), "their operator must remove its finalizers");
        for (const Object& object : plan.operands) callbacks.on_deleted(object);
    }
    std::vector<std::function<void()>> questions;
    for (const Operands& lost : plan.lost)
        questions.emplace_back([&] {
            require_announced(kubectl, lost, {}, "run the command again: it shows what would be lost");
        });
    kubectl.together(questions);
    if (plan.olm == Olm::none) {
        remove_all(plan.roots);
        remove_each(plan.rest);
        std::vector<Object> all = plan.roots;
        all.insert(all.end(), plan.rest.begin(), plan.rest.end());
        callbacks.wait("waiting until all objects are gone", remaining(all),
                       "what set the finalizers must remove them");
        return {};
    }
    const bool is_classic = plan.olm == Olm::classic;
    remove_each(plan.roots);
    callbacks.wait("waiting until OLM has cleaned up", remaining(plan.roots),
                   "OLM must remove its finalizers");
    if (is_classic) {
        if (std::vector<Object> successors = successors_of(kubectl, plan); !successors.empty())
            return successors; // which use the rest
        remove_each(plan.rest);
    } else {
        remove_all(plan.rest);
    }
    if (!plan.definitions.empty())
        callbacks.wait("waiting for the end of the definitions", remaining(plan.definitions),
                       "the finalizers of their custom resources must be removed");
    return {};
}

} // namespace opcat::cluster
