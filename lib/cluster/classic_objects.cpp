// The objects of OLM classic, and what InstallPlans say of them.
#include "opcat/cluster/classic_state.hpp"
#include "opcat/cluster/registry_v1.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/classic/operator_groups.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace opcat::cluster {
namespace {

bool is_owned_by(const Object& object, std::string_view kind, std::string_view name) {
    const auto owners = object.items("metadata", "ownerReferences");
    return std::any_of(owners.begin(), owners.end(), [&](const Fields& owner) {
        return owner.text("kind") == kind && owner.text("name") == name;
    });
}

bool names_csv(const Object& plan, std::string_view csv) {
    const auto names = plan.strings("spec", "clusterServiceVersionNames");
    return std::find(names.begin(), names.end(), csv) != names.end();
}

} // namespace

void ClassicObjects::add(std::vector<Object> objects) {
    for (Object& object : objects) {
        const std::string_view kind = object.kind();
        if (kind == "Subscription")
            subscriptions.push_back(std::move(object));
        else if (kind == "InstallPlan")
            plans.push_back(std::move(object));
        else if (kind == "ClusterServiceVersion") {
            if (!classic::is_copied(object)) csvs.push_back(std::move(object));
        } else if (kind == "OperatorGroup")
            groups.push_back(std::move(object));
        else if (kind == "CatalogSource")
            catalogs.push_back(std::move(object));
        else if (kind == "OperatorCondition")
            conditions.push_back(std::move(object));
        else if (kind == "Pod")
            pods.push_back(std::move(object));
    }
}

std::vector<Object> ClassicObjects::for_resolution() const {
    std::vector<Object> all;
    for (const std::vector<Object>* some : {&subscriptions, &csvs, &groups, &catalogs, &conditions, &plans})
        all.insert(all.end(), some->begin(), some->end());
    return all;
}

const Object* ClassicObjects::subscription_of(std::string_view package, std::string_view ns) const {
    const std::vector<const Object*> found = subscriptions_of(package, ns);
    return found.empty() ? nullptr : found.front();
}

std::vector<const Object*> ClassicObjects::subscriptions_of(std::string_view package,
                                                            std::string_view ns) const {
    std::vector<const Object*> found;
    for (const Object& subscription : subscriptions)
        if (subscription.text("spec", "name") == package && subscription.ns == ns)
            found.push_back(&subscription);
    return found;
}

const Object* ClassicObjects::csv(std::string_view name, std::string_view ns) const {
    return name.empty() ? nullptr : kube::find_named(csvs, name, ns);
}

const Object* ClassicObjects::catalog(std::string_view name, std::string_view ns) const {
    return kube::find_named(catalogs, name, ns);
}

std::vector<const Object*> ClassicObjects::groups_in(std::string_view ns) const {
    std::vector<const Object*> found;
    for (const Object& group : groups)
        if (group.ns == ns) found.push_back(&group);
    return found;
}

std::string version_of_csv(const Object& csv) {
    return std::string(csv.text("spec", "version"));
}

std::map<std::string, PlannedBundle, std::less<>> bundles_in_plan(const Object& plan) {
    std::map<std::string, PlannedBundle, std::less<>> bundles;
    for (const Fields lookup : plan.items("status", "bundleLookups")) {
        PlannedBundle& bundle = bundles[std::string(lookup.text("identifier"))];
        bundle.replaces = lookup.text("replaces");
        if (!bundle.package.empty()) continue;
        const Object properties = kube::parse_object(lookup.text("properties"));
        const Fields package = Fields::of_type(properties.items("properties"), "olm.package");
        bundle.package = package.text("value", "packageName");
        bundle.version = package.text("value", "version");
    }
    return bundles;
}

bool waits_for_approval(const Object& plan) {
    return plan.text("status", "phase") == "RequiresApproval" && !plan.flag("spec", "approved");
}

std::string csv_in_plan(const Object& plan, const Object& subscription) {
    const std::string_view package = subscription.text("spec", "name");
    const auto names = plan.strings("spec", "clusterServiceVersionNames");
    const auto bundles = bundles_in_plan(plan);
    const auto package_of = [&](const std::string& csv) {
        const auto found = bundles.find(csv);
        return found == bundles.end() ? std::string_view() : std::string_view(found->second.package);
    };
    for (const std::string& name : names)
        if (package_of(name) == package) return name;
    for (const char* field : {"currentCSV", "installedCSV"})
        if (const std::string_view csv = subscription.text("status", field); names_csv(plan, csv))
            return std::string(csv);
    // A plan for one operator that this Subscription owns cannot be for another one.
    if (names.size() == 1 && is_owned_by(plan, "Subscription", subscription.name)) {
        const std::string_view other = package_of(names[0]);
        if (other.empty() || other == package) return names[0];
    }
    return {};
}

const Object* latest_plan(const ClassicObjects& objects, const Object& subscription) {
    const Object* latest = nullptr;
    for (const Object& plan : objects.plans) {
        if (plan.ns != subscription.ns) continue;
        if (csv_in_plan(plan, subscription).empty()) continue;
        if (!latest || plan.number("spec", "generation") > latest->number("spec", "generation"))
            latest = &plan;
    }
    return latest;
}

std::optional<std::vector<std::string>> targets_of_group(const Object& group) {
    // Without the cluster's namespaces, only the status says what a selector selects.
    std::set<std::string> targets = classic::target_namespaces({group}, {});
    if (targets.empty()) return std::nullopt;
    targets.erase(std::string()); // all namespaces
    return std::vector<std::string>(targets.begin(), targets.end());
}

std::string mode_of_group(const Object& group) {
    const auto targets = targets_of_group(group);
    return targets ? install_mode(*targets, group.ns) : std::string();
}

} // namespace opcat::cluster
