// What replaces an operator of OLM classic in OLM v1.
#include "opcat/bundle_checks/v1_reliance.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/migration/installed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace opcat::migration {
namespace {

using cluster::Json;
using cluster::Object;
using kube::Fields;

void add_lost(const Replaced& replaced, OperatorPlan& plan) {
    const auto& [one, watched, condition, catalog, release] = replaced;
    const classic::Subscription& subscription = *one.subscription;
    if (subscription.manual)
        plan.lost.emplace_back(
            "upgrades waited for approval (installPlanApproval: Manual): the "
            "ClusterExtension is pinned to the installed version, and upgrades when you change it");
    if (subscription.at("spec", "config") && !release.has_deployment_config())
        plan.lost.push_back(fmt::format("the Subscription's spec.config: {} has no "
                                        "spec.config.inline.deploymentConfig",
                                        release.describe()));
    if (watched && !watched->empty() && !release.supports_one_namespace())
        plan.lost.push_back(fmt::format("it watched {} only: {} lets it watch all namespaces",
                                        fmt::join(*watched, ", "), release.describe()));
    if (watched && watched->empty())
        plan.lost.emplace_back("the copies of the ClusterServiceVersion in all namespaces");
    if (condition && !condition->items("spec", "overrides").empty())
        plan.lost.emplace_back("the overrides of its OperatorCondition");
    if (one.csv)
        for (const Reliance& reliance : reliance_on_classic(*one.csv)) plan.lost.push_back(reliance.message);
}

Object all_rights_for(const std::string& account, const std::string& ns) {
    Json binding =
        cluster::named_object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", account + "-" + ns);
    binding["roleRef"] = {
        {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", "cluster-admin"}};
    binding["subjects"] = Json::array({{{"kind", "ServiceAccount"}, {"name", account}, {"namespace", ns}}});
    return cluster::object_of(binding);
}

void add_objects(const Replaced& replaced, OperatorPlan& plan) {
    if (plan.standing != Standing::eligible) return;
    const auto& [one, watched, condition, catalog, release] = replaced;
    cluster::ExtensionSpec spec{.name = plan.package,
                                .package = plan.package,
                                .ns = plan.ns,
                                .service_account = {},
                                .version = plan.version};
    spec.policy = olmv1::Policy::catalog_provided;
    if (!plan.channel.empty()) spec.channels = {plan.channel};
    spec.catalogs = cluster::named_catalog(catalog->cluster_catalog); // an eligible operator has one
    if (release.requires_account()) {
        spec.service_account = plan.package + "-installer";
        plan.objects.push_back(
            cluster::object_of(cluster::named_object("v1", "ServiceAccount", spec.service_account, plan.ns)));
        plan.objects.push_back(all_rights_for(spec.service_account, plan.ns));
    }
    Json inline_config = Json::object();
    if (watched && !watched->empty() && release.supports_one_namespace())
        inline_config["watchNamespace"] = *watched->begin();
    if (const Fields config = one.subscription->at("spec", "config");
        config && release.has_deployment_config()) {
        Json& taken = inline_config["deploymentConfig"] = cluster::json_of(config.value());
        taken.erase("selector"); // OLM classic ignores it, and OLM v1 refuses it
        if (taken.empty()) inline_config.erase("deploymentConfig");
    }
    if (!inline_config.empty()) spec.config = cluster::object_of(inline_config);
    plan.objects.push_back(cluster::cluster_extension(spec));
}

} // namespace

void add_replacement(const Replaced& replaced, OperatorPlan& plan) {
    add_lost(replaced, plan);
    add_objects(replaced, plan);
}

} // namespace opcat::migration
