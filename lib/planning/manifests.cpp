#include "opcat/planning/manifests.hpp"

#include "opcat/resolve/classic/preflight.hpp"
#include "opcat/resolve/v1/request.hpp"

#include <fmt/core.h>

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
    std::set<std::string_view> failing_forward; // namespaces
    std::set<ObjectPlace> replaced;             // versions that another one replaces

    explicit ObjectsByPlace(const classic::ClusterState& cluster) {
        for (const ClusterServiceVersion& csv : cluster.csvs) {
            csvs[{csv.ns, csv.name}] = &csv;
            replaced.emplace(csv.ns, csv.replaces);
        }
        for (const classic::Object& condition : cluster.operator_conditions)
            conditions.try_emplace({condition.ns, condition.name}, &condition);
        for (const classic::OperatorGroup& group : cluster.operator_groups)
            if (classic::fails_forward(group)) failing_forward.insert(group.ns);
    }
};

InstalledOperator of_subscription(const Subscription& subscription, const ObjectsByPlace& objects) {
    InstalledOperator installed;
    installed.given = subscription.describe();
    installed.package = subscription.package;
    installed.bundle = subscription.installed_csv;
    installed.ns = subscription.ns;
    installed.name = subscription.name;
    installed.by_hand = subscription.manual;
    installed.in_default_channel = subscription.channel.empty();
    if (!subscription.channel.empty()) installed.channels = {subscription.channel};
    if (subscription.installed_csv.empty()) installed.unknown = "its Subscription has installed nothing yet";
    const ObjectPlace place{subscription.ns, subscription.installed_csv};
    if (const auto condition = objects.conditions.find(place); condition != objects.conditions.end())
        installed.held = classic::why_not_upgradeable(*condition->second);
    if (const auto csv = objects.csvs.find(place); csv != objects.csvs.end()) {
        read_csv(installed, *csv->second);
        if (installed.held.empty())
            installed.held =
                classic::why_not_replaced(*csv->second, objects.failing_forward.contains(subscription.ns));
    }
    return installed;
}

InstalledOperator of_extension(const classic::Object& extension) {
    const olmv1::Request request = olmv1::request_of(extension);
    InstalledOperator installed;
    installed.given = extension.describe();
    installed.package = request.package;
    installed.olm = OlmGeneration::v1;
    installed.channels = request.channels;
    installed.name = extension.name;
    if (!request.installed) {
        installed.unknown = "its ClusterExtension has installed nothing yet";
        return installed;
    }
    installed.bundle = request.installed->name;
    if (auto version = semver::VersionRelease::parse_legacy(request.installed->version))
        installed.version = *std::move(version);
    apply_range(installed, request.version);
    return installed;
}

} // namespace

std::vector<InstalledOperator> operators_of(const classic::ClusterState& cluster) {
    std::vector<InstalledOperator> operators;
    const ObjectsByPlace objects(cluster);
    std::set<ObjectPlace> subscribed;
    std::map<ObjectPlace, size_t> of_package;
    for (const Subscription& subscription : cluster.subscriptions)
        ++of_package[{subscription.ns, subscription.package}];
    for (const Subscription& subscription : cluster.subscriptions) {
        subscribed.emplace(subscription.ns, subscription.installed_csv);
        InstalledOperator installed = of_subscription(subscription, objects);
        if (of_package[{subscription.ns, subscription.package}] > 1)
            installed.unknown = fmt::format("namespace {} has several Subscriptions for package {}",
                                            subscription.ns, subscription.package);
        operators.push_back(std::move(installed));
    }
    for (const ClusterServiceVersion& csv : cluster.csvs) {
        if (csv.copied || subscribed.contains({csv.ns, csv.name})) continue;
        // A version on its way out, or one that nothing upgrades; it may block OpenShift all the same.
        if (objects.replaced.contains({csv.ns, csv.name})) continue;
        InstalledOperator installed;
        installed.given = csv.describe();
        installed.ns = csv.ns;
        read_csv(installed, csv);
        installed.unknown = "no Subscription upgrades it";
        operators.push_back(std::move(installed));
    }
    for (const classic::Object& object : cluster.others)
        if (object.text("kind") == "ClusterExtension") operators.push_back(of_extension(object));
    return operators;
}

} // namespace opcat::planning
