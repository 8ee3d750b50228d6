#include "opcat/cluster/field_owners.hpp"

#include "opcat/cluster/objects.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace opcat::cluster {
namespace {

// Returns true for a manager that sets its fields again and again.
bool declares(const Fields& entry) {
    constexpr std::string_view updaters[] = {"argocd-controller", "argocd-application-controller", "helm",
                                             "helm-controller", "kustomize-controller"};
    const std::string_view manager = entry.text("manager");
    if (!entry.text("subresource").empty()) return false;
    return entry.text("operation") == "Apply"
               ? manager != field_manager && !manager.starts_with("kubectl")
               : std::find(std::begin(updaters), std::end(updaters), manager) != std::end(updaters);
}

// `owned` is the part of fieldsV1 for the object that `now` is.
void collect(const Value& patch, const Fields& now, const Fields& owned, const std::string& path,
             const std::string& manager, std::vector<DeclaredField>& found) {
    for (const Member& member : patch.members()) {
        const std::string key(member.key.string());
        const Fields part = owned.at("f:" + key);
        if (!part) continue;
        const std::string field = path.empty() ? key : fmt::format("{}.{}", path, key);
        const Fields current = now.at(key);
        if (member.value.is_object())
            collect(member.value, current, part, field, manager, found);
        else if (kube::to_text(member.value) != kube::to_text(current.value()))
            found.push_back({field, manager});
    }
}

} // namespace

std::vector<DeclaredField> declared_by_others(const Kubectl& kubectl, const Object& object,
                                              const Value& patch) {
    // kubectl get hides who manages the fields.
    const Object now = kube::parse_object(
        kubectl.raw(fmt::format("/apis/{}/{}{}/{}", object.text("apiVersion"),
                                object.ns.empty() ? "" : fmt::format("namespaces/{}/", object.ns),
                                plural_of_kind(object.kind()), object.name)),
        object.describe());
    std::vector<DeclaredField> found;
    for (const Fields entry : now.items("metadata", "managedFields"))
        if (declares(entry))
            collect(patch, now, entry.at("fieldsV1"), {}, std::string(entry.text("manager")), found);
    return found;
}

} // namespace opcat::cluster
