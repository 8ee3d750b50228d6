#include "opcat/cluster/resolution_failure.hpp"

#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace opcat::cluster {
namespace {

using Standing = ResolutionFailure::Standing;

// The names that follow `mark` in OLM's message, up to a space or a comma.
std::vector<std::string_view> names_after(std::string_view message, std::string_view mark) {
    std::vector<std::string_view> names;
    for (size_t at = 0; (at = message.find(mark, at)) != message.npos;) {
        at += mark.size();
        const std::string_view rest = message.substr(at);
        names.push_back(rest.substr(0, rest.find_first_of(" ,")));
    }
    return names;
}

// Returns an object that the message names and that does not exist: "ClusterServiceVersion shop.v1". Empty:
// there is none.
std::string named_and_gone(std::string_view message, const std::string& ns, const ClassicObjects& objects) {
    for (const std::string& mark : {std::string("clusterserviceversion "), "@existing/" + ns + "//"})
        for (const std::string_view name : names_after(message, mark))
            if (!name.empty() && !objects.csv(name, ns)) return fmt::format("ClusterServiceVersion {}", name);
    for (const std::string_view name : names_after(message, "subscription "))
        if (!name.empty() && message.find(fmt::format("subscription {} exists", name)) != message.npos &&
            !kube::find_named(objects.subscriptions, name, ns))
            return fmt::format("Subscription {}", name);
    return {};
}

ResolutionFailure judge_catalogs(std::string_view message, const std::string& ns,
                                 const ClassicObjects& objects) {
    ResolutionFailure failure;
    const std::vector<std::string_view> named = names_after(message, "catalogsource ");
    const std::string name =
        named.empty() ? std::string() : std::string(named.front().substr(0, named.front().find(':')));
    bool is_there = false;
    for (const Object& catalog : objects.catalogs) {
        if (catalog.ns != ns && catalog.ns != objects.global_ns) continue;
        const CatalogState state = state_of_catalog_source(catalog, {});
        is_there = is_there || state.full_name() == name;
        if (state.health == Health::working) return {Standing::starting, "catalog " + state.full_name(), {}};
        if (state.health == Health::failing) failure.hold = std::max(failure.hold, state.hold);
    }
    const bool sees_all = objects.all_catalogs && (!objects.global_ns.empty() || objects.catalogs_elsewhere);
    const bool is_mine = name.starts_with(ns + "/");
    if (failure.hold.count() > 0 || name.empty() || (!is_there && !sees_all && !is_mine)) return failure;
    return {Standing::stale, fmt::format("catalog {} is {} now", name, is_there ? "ready" : "gone"), {}};
}

} // namespace

ResolutionFailure judge_resolution_failure(const Condition& failed, const std::string& ns,
                                           const ClassicObjects& objects) {
    if (failed.reason == "ErrorPreventedResolution") return judge_catalogs(failed.message, ns, objects);
    const std::string gone = named_and_gone(failed.message, ns, objects);
    return gone.empty() ? ResolutionFailure() : ResolutionFailure{Standing::stale, gone + " is gone", {}};
}

void resolve_again(const Kubectl& kubectl, const Object& subscription) {
    kubectl.patch(resource::subscriptions, subscription.name, Scope::in(subscription.ns), nudge().value());
}

std::optional<Object> resolve_rest_again(const Kubectl& kubectl, const std::string& ns) {
    for (Object& subscription : kubectl.list(resource::subscriptions, Scope::in(ns))) {
        if (!subscription.condition("ResolutionFailed").is_true()) continue;
        resolve_again(kubectl, subscription);
        return std::move(subscription);
    }
    return std::nullopt;
}

} // namespace opcat::cluster
