// Operators of OLM classic: the published requirements for their migration.
#include "opcat/cluster/state.hpp"
#include "opcat/migration/installed.hpp"
#include "opcat/olm/paths.hpp"
#include "opcat/readiness/readiness.hpp"
#include "opcat/resolve/classic/obstacles.hpp"
#include "opcat/resolve/classic/operator_groups.hpp"
#include "opcat/resolve/v1/install_rules.hpp"
#include "opcat/resolve/v1/obstacles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace opcat::migration {
namespace {

using classic::ClusterState;
using cluster::Object;
using kube::Fields;

class Planner {
public:
    Planner(const ClusterState& cluster, const Catalogs& catalogs, const olmv1::OlmRelease& release)
        : cluster_(cluster), release_(release), installed_(installed_operators(cluster, catalogs)),
          unsubscribed_(unsubscribed_operators(cluster)) {}

    Plan run() {
        Plan plan{.release = release_, .catalogs = plan_catalogs(cluster_), .operators = {}};
        catalog_plans_ = &plan.catalogs;
        index();
        for (const InstalledOperator& one : installed_) plan.operators.push_back(judge(one));
        std::vector<OperatorPlan> ordered;
        for (const size_t place : hold_back_required(installed_, unsubscribed_, plan.operators))
            ordered.push_back(std::move(plan.operators[place]));
        plan.operators = std::move(ordered);
        add_unsubscribed(plan.operators);
        add_migrated(plan.operators);
        return plan;
    }

private:
    void index() {
        for (const Object& object : cluster_.others) {
            if (object.kind() == "ClusterCatalog") cluster_catalogs_.emplace(object.name, &object);
            if (object.kind() != "ClusterExtension") continue;
            extensions_.emplace(cluster::package_of(object), &object);
            extensions_by_name_.emplace(object.name, &object);
        }
        for (const classic::CatalogSource& source : cluster_.catalog_sources)
            if (classic::is_unhealthy(source)) unhealthy_.emplace(source.ns, &source);
        for (const Object& condition : cluster_.operator_conditions)
            conditions_.emplace(std::pair(condition.ns, condition.name), &condition);
        for (const classic::OperatorGroup& group : cluster_.operator_groups)
            groups_[group.ns].push_back(&group);
        for (const classic::Subscription& subscription : cluster_.subscriptions)
            ++subscriptions_of_[subscription.package];
        for (const Object& plan : cluster_.install_plans) plans_of_[plan.ns].insert(plan.name);
        for (const Object& plan : cluster_.install_plans)
            if (const std::string_view phase = plan.text("status", "phase");
                phase != "Complete" && phase != "Failed")
                waiting_.emplace(plan.ns, &plan);
    }

    void add_unsubscribed(std::vector<OperatorPlan>& plans) const {
        for (const InstalledOperator& one : unsubscribed_) {
            OperatorPlan& plan = plans.emplace_back(OperatorPlan{.package = one.csv->name,
                                                                 .ns = one.csv->ns,
                                                                 .subscription = {},
                                                                 .installed = one.csv->name,
                                                                 .version = one.csv->version,
                                                                 .channel = {},
                                                                 .catalog = {}});
            plan.hold_back("subscription-state",
                           "no Subscription is about it: its package and catalog are not known");
        }
    }

    // ---- one operator

    OperatorPlan judge(const InstalledOperator& one) {
        const classic::Subscription& subscription = *one.subscription;
        OperatorPlan plan{.package = subscription.package,
                          .ns = subscription.ns,
                          .subscription = subscription.name,
                          .installed = subscription.installed_csv,
                          .version = one.csv ? one.csv->version : std::string(),
                          .channel = subscription.channel,
                          .catalog = subscription.source_namespace + "/" + subscription.source};
        check_state(one, plan);
        check_others(one, plan);
        const size_t before = plan.obstacles.size();
        const auto watched = check_bundle(one, plan);
        const bool bundle_blocks = plan.obstacles.size() > before;
        check_catalog(one, plan);
        if (bundle_blocks) plan.detour = find_detour(one);
        const auto condition = conditions_.find({plan.ns, plan.installed});
        add_replacement({.installed = one,
                         .watched = watched,
                         .condition = condition == conditions_.end() ? nullptr : condition->second,
                         .catalog = catalog_of(one),
                         .release = release_},
                        plan);
        return plan;
    }

    void check_state(const InstalledOperator& one, OperatorPlan& plan) const {
        const classic::Subscription& subscription = *one.subscription;
        const std::string_view state = subscription.text("status", "state");
        if (state != "AtLatestKnown")
            plan.hold_back("subscription-state",
                           fmt::format("the Subscription is {}, and has to be AtLatestKnown",
                                       state.empty() ? "without a state" : state));
        if (subscription.current_csv != subscription.installed_csv)
            plan.hold_back(
                "subscription-state",
                fmt::format("the Subscription is at {}, and {} is installed",
                            subscription.current_csv.empty() ? "nothing" : subscription.current_csv,
                            subscription.installed_csv.empty() ? "nothing" : subscription.installed_csv));
        if (subscription.condition("ResolutionFailed").is_true())
            plan.hold_back("subscription-state",
                           fmt::format("OLM classic cannot resolve its namespace: {}",
                                       subscription.condition("ResolutionFailed").message));
        if (const auto waiting = waiting_.find(subscription.ns); waiting != waiting_.end())
            plan.hold_back(
                "subscription-state",
                waiting->second->text("status", "phase") == "RequiresApproval"
                    ? fmt::format("InstallPlan {} of its namespace waits for an approval",
                                  waiting->second->name)
                    : fmt::format("InstallPlan {} of its namespace is not complete", waiting->second->name));
        if (const std::string_view named = subscription.text("status", "installPlanRef", "name");
            !named.empty() && may_be_unread(subscription.ns, named))
            plan.hold_back(
                "subscription-state",
                fmt::format("InstallPlan {} was not read, so it is not known whether it is complete", named),
                Standing::unknown);
        if (const std::string why = why_not_going_on(one); !why.empty())
            plan.hold_back("subscription-state", why);
        if (subscription.installed_csv.empty())
            plan.hold_back("csv-phase", "nothing is installed");
        else if (!one.csv)
            plan.hold_back("csv-phase",
                           fmt::format("ClusterServiceVersion {} is not there", subscription.installed_csv));
        else if (one.csv->phase != "Succeeded")
            plan.hold_back("csv-phase",
                           fmt::format("ClusterServiceVersion {} is {}, and has to be Succeeded",
                                       one.csv->name,
                                       one.csv->phase.empty() ? "without a phase" : one.csv->phase));
        if (one.csv && one.csv->is_terminating())
            plan.hold_back("csv-phase",
                           fmt::format("ClusterServiceVersion {} is being deleted", one.csv->name));
        if (const std::string_view by = subscription.annotation("olm.generated-by"); !by.empty())
            plan.hold_back(
                "generated-dependency",
                fmt::format("OLM classic made the Subscription for another operator (olm.generated-by: {})",
                            by));
        const auto condition = conditions_.find({subscription.ns, subscription.installed_csv});
        if (condition == conditions_.end()) {
            // OLM classic makes one for each operator.
            if (one.csv)
                plan.hold_back(
                    "operator-conditions",
                    fmt::format("OperatorCondition {} was not read, so it is not known whether the operator "
                                "reports conditions",
                                subscription.installed_csv),
                    Standing::unknown);
            return;
        }
        for (const char* const part : {"spec", "status"})
            for (const Fields one_of : condition->second->items(part, "conditions"))
                return plan.hold_back(
                    "operator-conditions",
                    fmt::format("the operator reports {}={} in its OperatorCondition, and OLM v1 does "
                                "not read them",
                                one_of.text("type"), one_of.text("status")));
    }

    // OLM classic deletes the oldest of a namespace, and leaves this many.
    bool may_be_unread(const std::string& ns, std::string_view install_plan) const {
        constexpr size_t kept_by_olm = 5;
        const auto read = plans_of_.find(ns);
        return read == plans_of_.end() ||
               (!read->second.contains(install_plan) && read->second.size() < kept_by_olm);
    }

    std::string why_not_going_on(const InstalledOperator& one) const {
        const classic::Subscription& subscription = *one.subscription;
        if (subscription.condition("ResolutionFailed").is_true()) return {}; // said already
        classic::Surroundings around{.groups = 1}; // these are checked by themselves
        for (const std::string& ns : {subscription.ns, subscription.source_namespace})
            if (const auto found = unhealthy_.find(ns); found != unhealthy_.end())
                around.unhealthy = found->second;
        const std::string why = classic::why_stopped(subscription, nullptr, nullptr);
        return why.empty() ? classic::why_unresolved(subscription, around) : why;
    }

    void check_others(const InstalledOperator& one, OperatorPlan& plan) const {
        const std::string& package = one.subscription->package;
        if (const auto extension = extensions_.find(package); extension != extensions_.end())
            plan.hold_back(
                "existing-extension",
                fmt::format("ClusterExtension {} is for the same package", extension->second->name),
                Standing::conflict);
        else if (const auto same = extensions_by_name_.find(package); same != extensions_by_name_.end())
            plan.hold_back(
                "existing-extension",
                fmt::format("ClusterExtension {} is there, for package {}: its own would have that name",
                            package, cluster::package_of(*same->second)),
                Standing::conflict);
        if (const size_t count = subscriptions_of_.at(package); count > 1)
            plan.hold_back(
                "several-subscriptions",
                fmt::format("{} Subscriptions are for this package, and OLM v1 installs it once in a cluster",
                            count),
                Standing::conflict);
    }

    // The namespaces to watch, if they are known: none means all.
    std::optional<std::set<std::string>> watched_by(const InstalledOperator& one, OperatorPlan& plan) const {
        const auto groups = groups_.find(one.subscription->ns);
        if (groups == groups_.end() || groups->second.size() != 1) {
            plan.hold_back("operator-group",
                           groups == groups_.end()
                               ? "its namespace has no OperatorGroup"
                               : fmt::format("its namespace has {} OperatorGroups", groups->second.size()));
            return std::nullopt;
        }
        if (classic::is_outdated(*groups->second.front())) {
            plan.hold_back(
                "operator-group",
                "the status of its OperatorGroup does not have the namespaces of its spec: which ones the "
                "operator watches is not known",
                Standing::unknown);
            return std::nullopt;
        }
        std::set<std::string> targets = classic::target_namespaces(*groups->second.front(), cluster_);
        if (targets.empty()) {
            plan.hold_back("operator-group",
                           "which namespaces its OperatorGroup selects is not known: its status does not say",
                           Standing::unknown);
            return std::nullopt;
        }
        targets.erase("");
        return targets;
    }

    std::optional<std::set<std::string>> check_bundle(const InstalledOperator& one,
                                                      OperatorPlan& plan) const {
        auto watched = watched_by(one, plan);
        std::set<std::string> requirements = one.requires_;
        if (one.node != no_node)
            if (const Property* const property =
                    dependency_refused_by_v1(*one.package->nodes[one.node].bundle);
                property && requirements.empty())
                requirements.insert(std::string(property->type.text));
        if (!requirements.empty())
            plan.hold_back("dependencies",
                           fmt::format("it requires {}, and OLM v1 installs no bundle with dependencies",
                                       fmt::join(requirements, ", ")));
        if (!one.csv || !watched) return watched;
        if (watched->size() > 1) {
            plan.hold_back(
                "install-modes",
                fmt::format("it watches {} namespaces, and OLM v1 lets an operator watch one or all",
                            watched->size()));
            return watched;
        }
        olmv1::Installer installer{.release = release_, .ns = one.subscription->ns};
        if (!watched->empty() && release_.supports_one_namespace()) installer.watched = *watched->begin();
        const olmv1::InstallVerdict verdict = judge_install(olmv1::facts_of_csv(*one.csv), installer);
        if (!verdict.refusal.empty())
            plan.hold_back(verdict.about == olmv1::InstallSubject::install_modes  ? "install-modes"
                           : verdict.about == olmv1::InstallSubject::api_services ? "api-services"
                                                                                  : "webhooks",
                           fmt::format("{}: {}", release_.describe(), verdict.refusal));
        return watched;
    }

    void check_catalog(const InstalledOperator& one, OperatorPlan& plan) const {
        if (plan.installed.empty()) return;
        if (!one.catalog_known)
            plan.hold_back("catalog",
                           fmt::format("the content of catalog {} is not known, and has to have {}",
                                       plan.catalog, plan.installed),
                           Standing::unknown);
        else if (one.node == no_node)
            plan.hold_back("catalog", fmt::format("catalog {} does not have {}, and OLM v1 installs from it",
                                                  plan.catalog, plan.installed));
        else if (const std::string why = why_not_found(one, plan); !why.empty())
            plan.hold_back("catalog", why);
        const CatalogPlan* const catalog = catalog_of(one);
        if (!catalog)
            plan.hold_back("catalog", fmt::format("CatalogSource {} was not read", plan.catalog),
                           Standing::unknown);
        else if (catalog->cluster_catalog.empty())
            plan.hold_back("catalog",
                           fmt::format("CatalogSource {} cannot move: {}", plan.catalog, catalog->why_not));
        else if (const auto there = cluster_catalogs_.find(catalog->cluster_catalog);
                 there != cluster_catalogs_.end())
            if (const std::string why = olmv1::why_unavailable(*there->second); !why.empty())
                plan.hold_back("catalog", why);
    }

    // Why OLM v1 does not find the installed bundle by its version, and its channel if one is named.
    static std::string why_not_found(const InstalledOperator& one, const OperatorPlan& plan) {
        const GraphNode& node = one.package->nodes[one.node];
        const auto version = semver::VersionRelease::parse_legacy(plan.version);
        if (one.csv && !(version && node.version && *version == *node.version))
            return fmt::format("{} is version {} in catalog {}, and {} on the cluster", node.name,
                               node.version_text, plan.catalog, plan.version);
        const auto entries = one.package->entries_of(one.node);
        if (entries.empty()) return fmt::format("catalog {} has {} in no channel", plan.catalog, node.name);
        const bool is_in_channel =
            plan.channel.empty() || std::ranges::any_of(entries, [&](const NodeEntry& entry) {
                return entry.channel->name == plan.channel;
            });
        return is_in_channel ? std::string()
                             : fmt::format("catalog {} does not have {} in channel {}", plan.catalog,
                                           node.name, plan.channel);
    }

    const CatalogPlan* catalog_of(const InstalledOperator& one) const {
        const auto found =
            std::find_if(catalog_plans_->begin(), catalog_plans_->end(), [&](const CatalogPlan& c) {
                return c.ns == one.subscription->source_namespace && c.name == one.subscription->source;
            });
        return found == catalog_plans_->end() ? nullptr : &*found;
    }

    // ---- a version without the obstacles of the bundle

    std::optional<Detour> find_detour(const InstalledOperator& one) const {
        if (one.node == no_node) return std::nullopt;
        const PackageGraph& package = *one.package;
        std::optional<Detour> best;
        std::vector<const ChannelGraph*> channels;
        const ChannelGraph* const own =
            one.subscription->channel.empty() ? nullptr : package.find_channel(one.subscription->channel);
        if (own) channels.push_back(own);
        for (const ChannelGraph& channel : package.channels)
            if (&channel != own) channels.push_back(&channel);
        for (const ChannelGraph* const channel : channels) {
            std::vector<std::string> steps;
            for (const PathStep& step :
                 walk_classic(package, *channel, installed_node(package, one.node)).steps) {
                const GraphNode& node = package.nodes[step.to];
                steps.emplace_back(node.name);
                if (node.is_virtual()) break;
                const readiness::Verdict verdict = readiness_of(*node.bundle);
                if (verdict == readiness::Verdict::not_ready || verdict == readiness::Verdict::unknown)
                    continue;
                if (!best || steps.size() < best->steps.size())
                    best = Detour{std::string(node.name),
                                  channel == own ? std::string() : std::string(channel->name), steps};
                break;
            }
            // Its own channel needs no decision of anybody.
            if (best && channel == own) return best;
        }
        return best;
    }

    readiness::Verdict readiness_of(const Bundle& bundle) const {
        const auto [known, is_new] = verdicts_.try_emplace(&bundle, readiness::Verdict::unknown);
        if (is_new) known->second = readiness::readiness_of(bundle, release_).verdict;
        return known->second;
    }

    // Packages that only OLM v1 has.
    void add_migrated(std::vector<OperatorPlan>& plans) const {
        for (const auto& [package, extension] : extensions_) {
            if (subscriptions_of_.contains(package)) continue;
            OperatorPlan& plan = plans.emplace_back(OperatorPlan{
                .package = package.empty() ? extension->name : package,
                .ns = std::string(extension->text("spec", "namespace")),
                .subscription = {},
                .installed = std::string(extension->text("status", "install", "bundle", "name")),
                .version = std::string(extension->text("status", "install", "bundle", "version")),
                .channel = {},
                .catalog = cluster::catalog_of(*extension),
                .standing = Standing::already_migrated});
            const auto condition = extension->condition("Installed");
            const std::string why = package.empty()               ? "names no package"
                                    : extension->is_terminating() ? "is being deleted"
                                    : plan.installed.empty()      ? "has installed nothing"
                                    : !condition.status.empty() && !condition.is_true()
                                        ? "says that it is not installed"
                                        : "";
            if (why.empty()) continue;
            plan.hold_back("existing-extension", fmt::format("ClusterExtension {} {}", extension->name, why),
                           Standing::unknown);
        }
    }

    const ClusterState& cluster_;
    const olmv1::OlmRelease& release_;
    const std::vector<CatalogPlan>* catalog_plans_ = nullptr;
    const std::vector<InstalledOperator> installed_;
    const std::vector<InstalledOperator> unsubscribed_;
    std::map<std::string, const Object*> extensions_; // by package
    std::map<std::pair<std::string, std::string>, const Object*> conditions_;
    std::map<std::string, std::vector<const classic::OperatorGroup*>> groups_;
    std::map<std::string, size_t> subscriptions_of_; // by package
    std::map<std::string, const Object*, std::less<>> extensions_by_name_, cluster_catalogs_;
    std::map<std::string, std::set<std::string_view>> plans_of_; // names of InstallPlans, by namespace
    std::map<std::string_view, const Object*> waiting_; // an InstallPlan that is not complete, by namespace
    std::map<std::string, const Object*> unhealthy_;    // a CatalogSource, by namespace
    mutable std::map<const Bundle*, readiness::Verdict> verdicts_;
};

} // namespace

void OperatorPlan::hold_back(std::string_view check, std::string message, Standing as) {
    obstacles.push_back({check, std::move(message), as});
    standing = std::max(standing, as);
}

std::string_view to_string(Standing standing) {
    switch (standing) {
    case Standing::eligible:
        return "Eligible";
    case Standing::already_migrated:
        return "AlreadyMigrated";
    case Standing::unknown:
        return "Unknown";
    case Standing::ineligible:
        return "Ineligible";
    case Standing::conflict:
        return "Conflict";
    }
    return {};
}

size_t Plan::count(Standing standing) const {
    return static_cast<size_t>(
        std::count_if(operators.begin(), operators.end(),
                      [&](const OperatorPlan& one) { return one.standing == standing; }));
}

bool Plan::is_whole() const {
    return !operators.empty() &&
           count(Standing::eligible) + count(Standing::already_migrated) == operators.size();
}

Plan plan_migration(const ClusterState& cluster, const Catalogs& catalogs, const olmv1::OlmRelease& release) {
    return Planner(cluster, catalogs, release).run();
}

} // namespace opcat::migration
