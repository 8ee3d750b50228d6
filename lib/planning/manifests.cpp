#include "opcat/planning/manifests.hpp"

#include "opcat/base/text.hpp"
#include "opcat/resolve/classic/obstacles.hpp"
#include "opcat/resolve/classic/operator_groups.hpp"
#include "opcat/resolve/v1/obstacles.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace opcat::planning {
namespace {

using classic::ClusterServiceVersion;
using classic::Subscription;

void read_csv(InstalledOperator& installed, const ClusterServiceVersion& csv) {
    installed.bundle = csv.name;
    if (auto version = semver::VersionRelease::parse_legacy(csv.version))
        installed.version = *std::move(version);
    installed.own_max = olmv1::max_openshift_version(
        csv.text("metadata", "annotations", "operatorframework.io/properties"), csv.name);
}

// Objects of a cluster by namespace and name.
using ObjectPlace = std::pair<std::string_view, std::string_view>;

struct ObjectsByPlace {
    std::map<ObjectPlace, const ClusterServiceVersion*> csvs;
    std::map<ObjectPlace, const classic::Object*> conditions;
    std::map<ObjectPlace, const classic::Object*> plans;
    std::map<ObjectPlace, const classic::Object*> catalogs;
    std::map<std::string_view, const classic::Object*> unhealthy; // one CatalogSource of each namespace
    std::map<std::string_view, std::vector<const classic::OperatorGroup*>> groups; // by namespace
    bool is_whole;                              // what is not here is not in the cluster
    std::set<std::string_view> failing_forward; // namespaces

    ObjectsByPlace(const classic::ClusterState& cluster, bool is_all) : is_whole(is_all) {
        for (const ClusterServiceVersion& csv : cluster.csvs) csvs[{csv.ns, csv.name}] = &csv;
        for (const classic::Object& condition : cluster.operator_conditions)
            conditions.try_emplace({condition.ns, condition.name}, &condition);
        for (const classic::OperatorGroup& group : cluster.operator_groups) {
            groups[group.ns].push_back(&group);
            if (classic::fails_forward(group)) failing_forward.insert(group.ns);
        }
        for (const classic::Object& plan : cluster.install_plans)
            plans.try_emplace({plan.ns, plan.name}, &plan);
        for (const classic::CatalogSource& catalog : cluster.catalog_sources) {
            catalogs.try_emplace({catalog.ns, catalog.name}, &catalog);
            if (classic::is_unhealthy(catalog)) unhealthy.try_emplace(catalog.ns, &catalog);
        }
    }

    // A namespace sees the CatalogSources in it and those of the global one, which its own source is likely
    // from.
    classic::Surroundings around(const Subscription& subscription) const {
        classic::Surroundings found;
        const auto group = groups.find(subscription.ns);
        found.groups = group == groups.end() ? 0 : group->second.size();
        found.are_groups_known = is_whole || !groups.empty();
        found.catalog = named(catalogs, {subscription.source_namespace, subscription.source});
        found.are_catalogs_known = is_whole || !catalogs.empty();
        for (const std::string_view ns :
             {std::string_view(subscription.ns), std::string_view(subscription.source_namespace)})
            if (const auto one = unhealthy.find(ns); one != unhealthy.end()) found.unhealthy = one->second;
        return found;
    }

    // The namespaces that its operators watch; nothing: not known.
    std::optional<std::set<std::string>> watched(std::string_view ns,
                                                 const classic::ClusterState& cluster) const {
        const auto group = groups.find(ns);
        if (group == groups.end() || group->second.size() != 1 ||
            classic::is_outdated(*group->second.front()))
            return std::nullopt;
        auto targets = classic::target_namespaces(*group->second.front(), cluster);
        return targets.empty() ? std::nullopt : std::optional(std::move(targets));
    }

    template <typename T>
    static const T* named(const std::map<ObjectPlace, const T*>& objects, const ObjectPlace& place) {
        const auto found = objects.find(place);
        return found == objects.end() ? nullptr : found->second;
    }
};

} // namespace

std::string why_cluster_stays(const classic::Object& cluster_version) {
    for (const auto& [type, bad] : {std::pair("Upgradeable", "False"), std::pair("Progressing", "True")}) {
        const kube::Condition condition = cluster_version.condition(type);
        if (condition.status == bad)
            return fmt::format("ClusterVersion says {}={}{}{}", type, bad,
                               condition.reason.empty() ? "" : ", ", condition.reason) +
                   (condition.message.empty() ? "" : ": " + on_one_line(condition.message));
    }
    return {};
}

namespace {

// Why nothing can be planned for a Subscription whose ClusterServiceVersion is missing.
std::string not_there(std::string_view csv) {
    return fmt::format("{}, which its Subscription says is installed, is not there", csv);
}

// `plan`: the InstallPlan that the Subscription refers to; nullptr: not known.
void read_pending(InstalledOperator& installed, const classic::Object& subscription,
                  const classic::Object* plan) {
    const std::string_view current = subscription.text("status", "currentCSV");
    if (current.empty() || current == subscription.text("status", "installedCSV")) return;
    installed.pending = current;
    installed.pending_waits =
        plan && plan->text("spec", "approval") == "Manual" && !plan->flag("spec", "approved");
}

// InstalledOperator::held of a Subscription, with its OperatorCondition and its InstallPlan (nullptr: not
// known).
std::string why_held(const classic::Object& subscription, const classic::Object* csv,
                     const classic::Object* condition, const classic::Object* plan, bool fails_forward,
                     const classic::Surroundings& around) {
    std::string why = condition ? classic::why_not_upgradeable(*condition) : std::string();
    if (why.empty() && csv) why = classic::why_not_replaced(*csv, fails_forward);
    if (why.empty()) why = classic::why_stopped(subscription, csv, fails_forward ? nullptr : plan);
    if (why.empty()) why = classic::why_unresolved(subscription, around);
    constexpr std::array<std::string_view, 4> settled{"", "Succeeded", "Replacing", "Failed"};
    if (why.empty() && csv && std::ranges::find(settled, csv->text("status", "phase")) == settled.end())
        why = fmt::format("{} is in phase {}", csv->name, csv->text("status", "phase"));
    return why;
}

InstalledOperator of_subscription(const Subscription& subscription, const ObjectsByPlace& objects,
                                  const classic::ClusterState& cluster) {
    InstalledOperator installed;
    installed.given = subscription.describe();
    installed.package = subscription.package;
    installed.bundle = subscription.installed_csv;
    installed.ns = subscription.ns;
    installed.name = subscription.name;
    installed.by_hand = subscription.manual;
    installed.watched = objects.watched(subscription.ns, cluster);
    installed.names_no_channel = subscription.channel.empty();
    if (!subscription.channel.empty()) installed.channels = {subscription.channel};
    if (subscription.installed_csv.empty()) installed.unknown = "its Subscription has installed nothing yet";
    const ObjectPlace place{subscription.ns, subscription.installed_csv};
    const ClusterServiceVersion* const csv = objects.named(objects.csvs, place);
    if (csv)
        read_csv(installed, *csv);
    else if (!subscription.installed_csv.empty() && (objects.is_whole || !objects.csvs.empty()))
        installed.unknown = not_there(subscription.installed_csv);
    const classic::Object* const plan = objects.named(
        objects.plans, {subscription.ns, subscription.text("status", "installPlanRef", "name")});
    if (!subscription.installed_csv.empty()) read_pending(installed, subscription, plan);
    installed.held =
        why_held(subscription, csv, objects.named(objects.conditions, place), plan,
                 objects.failing_forward.contains(subscription.ns), objects.around(subscription));
    return installed;
}

// A copy shows that its operator is installed elsewhere, where it may block OpenShift all the same.
std::vector<InstalledOperator> originals_not_read(const classic::ClusterState& cluster,
                                                  const ObjectsByPlace& objects) {
    std::vector<InstalledOperator> operators;
    std::set<ObjectPlace> seen;
    for (const ClusterServiceVersion& copy : cluster.csvs) {
        if (!copy.copied) continue;
        const std::string_view label = copy.label("olm.copiedFrom");
        const std::string_view home = label.empty() ? copy.annotation("olm.operatorNamespace") : label;
        if (objects.named(objects.csvs, {home, copy.name}) || !seen.emplace(home, copy.name).second) continue;
        InstalledOperator installed;
        installed.given = fmt::format("ClusterServiceVersion {}/{}", home.empty() ? "?" : home, copy.name);
        installed.ns = home;
        read_csv(installed, copy);
        installed.unknown =
            fmt::format("only a copy of it, in namespace {}, is among the manifests", copy.ns);
        installed.unknown_hint = fmt::format(
            "add the manifests of {}", home.empty() ? "all namespaces" : fmt::format("namespace {}", home));
        operators.push_back(std::move(installed));
    }
    return operators;
}

InstalledOperator of_extension(const classic::Object& extension,
                               std::span<const classic::Object> cluster_catalogs) {
    const olmv1::Request request = olmv1::request_of(extension);
    InstalledOperator installed;
    installed.given = extension.describe();
    installed.package = request.package;
    installed.olm = OlmGeneration::v1;
    installed.channels = request.channels;
    installed.name = extension.name;
    installed.held = olmv1::why_held(extension, cluster_catalogs);
    if (!request.installed) {
        installed.unknown = "its ClusterExtension has installed nothing yet";
        return installed;
    }
    installed.bundle = request.installed->name;
    if (auto version = semver::VersionRelease::parse_legacy(request.installed->version))
        installed.version = *std::move(version);
    apply_range(installed, request.version);
    if (request.policy == olmv1::Policy::self_certified && !installed.by_hand && installed.unknown.empty())
        installed.unknown = "its upgradeConstraintPolicy is SelfCertified: OLM v1 upgrades it without edges";
    return installed;
}

} // namespace

std::vector<InstalledOperator> operators_of(const classic::ClusterState& cluster, bool is_whole) {
    std::vector<InstalledOperator> operators;
    const ObjectsByPlace objects(cluster, is_whole);
    std::map<ObjectPlace, size_t> of_package;
    for (const Subscription& subscription : cluster.subscriptions)
        ++of_package[{subscription.ns, subscription.package}];
    for (const Subscription& subscription : cluster.subscriptions) {
        InstalledOperator installed = of_subscription(subscription, objects, cluster);
        if (of_package[{subscription.ns, subscription.package}] > 1)
            installed.unknown = fmt::format("namespace {} has several Subscriptions for package {}",
                                            subscription.ns, subscription.package);
        operators.push_back(std::move(installed));
    }
    // Nothing upgrades them, and they may block OpenShift all the same.
    for (const ClusterServiceVersion* const csv : classic::unsubscribed_csvs(cluster)) {
        InstalledOperator installed;
        installed.given = csv->describe();
        installed.ns = csv->ns;
        read_csv(installed, *csv);
        installed.unknown = "no Subscription upgrades it";
        operators.push_back(std::move(installed));
    }
    if (!is_whole)
        for (InstalledOperator& installed : originals_not_read(cluster, objects))
            operators.push_back(std::move(installed));
    std::vector<classic::Object> cluster_catalogs;
    for (const classic::Object& object : cluster.others)
        if (object.kind() == "ClusterCatalog") cluster_catalogs.push_back(object);
    for (const classic::Object& object : cluster.others)
        if (object.kind() == "ClusterExtension") operators.push_back(of_extension(object, cluster_catalogs));
    return operators;
}

} // namespace opcat::planning
