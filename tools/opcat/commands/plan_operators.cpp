// The operators of a plan: from names, manifests, and a live cluster.
#include "classic_inputs.hpp"
#include "commands/plan.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/planning/manifests.hpp"
#include "opcat/resolve/classic/obstacles.hpp"
#include "opcat/resolve/v1/obstacles.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace opcat {
namespace {

using planning::InstalledOperator;

classic::Surroundings surroundings_of(const kube::Object& subscription,
                                      const cluster::ClassicObjects& objects) {
    classic::Surroundings around;
    around.groups = objects.groups_in(subscription.ns).size();
    around.are_groups_known = objects.unread.empty();
    const std::string_view source_ns = subscription.text("spec", "sourceNamespace");
    around.catalog = objects.catalog(subscription.text("spec", "source"), source_ns);
    around.are_catalogs_known = objects.all_catalogs;
    for (const kube::Object& catalog : objects.catalogs)
        if ((catalog.ns == subscription.ns || catalog.ns == source_ns) && classic::is_unhealthy(catalog))
            around.unhealthy = &catalog;
    return around;
}

InstalledOperator of_state(const cluster::OperatorState& state, const cluster::ClusterSnapshot& found) {
    InstalledOperator installed;
    installed.given = state.name.empty() ? state.installed : state.name;
    installed.package = state.package;
    installed.bundle = state.installed;
    if (auto version = semver::VersionRelease::parse_legacy(state.version))
        installed.version = *std::move(version);
    installed.ns = state.ns;
    installed.name = state.name;
    const bool is_classic = state.olm == cluster::Olm::classic;
    installed.olm = is_classic ? OlmGeneration::classic : OlmGeneration::v1;
    if (!state.channel.empty()) installed.channels = {state.channel};
    if (!is_classic) {
        planning::apply_range(installed, state.range);
        if (const kube::Object* const extension = kube::find_named(found.extensions, state.name, {}))
            installed.held = olmv1::why_held(*extension, found.cluster_catalogs);
        return installed;
    }
    installed.by_hand = state.manual;
    installed.in_default_channel = state.channel.empty();
    if (state.name.empty()) installed.unknown = "no Subscription upgrades it";
    if (state.installed.empty()) installed.unknown = "its Subscription has installed nothing yet";
    if (const kube::Object* const csv = found.classic.csv(state.installed, state.ns)) {
        installed.own_max = olmv1::max_openshift_version(
            csv->text("metadata", "annotations", "operatorframework.io/properties"), state.installed);
    } else if (!state.installed.empty() && found.unread.empty()) {
        installed.unknown = planning::not_there(state.installed);
    }
    if (const kube::Object* const subscription =
            kube::find_named(found.classic.subscriptions, state.name, state.ns)) {
        const kube::Object* const plan = kube::find_named(
            found.classic.plans, subscription->text("status", "installPlanRef", "name"), state.ns);
        if (!state.installed.empty()) planning::read_pending(installed, *subscription, plan);
        installed.held = planning::why_held(
            *subscription, found.classic.csv(state.installed, state.ns),
            kube::find_named(found.classic.conditions, state.installed, state.ns), plan,
            std::ranges::any_of(found.classic.groups_in(state.ns),
                                [](const kube::Object* group) { return classic::fails_forward(*group); }),
            surroundings_of(*subscription, found.classic));
    }
    return installed;
}

// That of the command line comes before the cluster's own.
void use_version(std::string_view own, std::string& version, Session& session) {
    if (version.empty())
        version = own;
    else if (!own.empty() && own != version && !own.starts_with(version + "."))
        session.print_warning(
            fmt::format("the cluster runs OpenShift {}: this is the plan of one that runs {}", own, version));
}

// OpenShift itself, as an operator of which it is not known whether it gets there.
void add_cluster(const kube::Object& cluster_version, ReadOperators& read) {
    InstalledOperator openshift;
    openshift.given = "OpenShift itself";
    openshift.unknown = planning::why_cluster_stays(cluster_version);
    if (!openshift.unknown.empty()) read.operators.push_back(std::move(openshift));
}

// A catalog says nothing about where a cluster has it from.
void warn_of_sources(const std::set<std::string>& sources, const PlanFlags& flags, Session& session) {
    std::map<std::string_view, size_t> named; // catalogs by their version; those for all have none
    size_t most = 0;
    for (const std::string_view catalog : flags.catalogs) {
        const bool is_for_all = catalog.find("{version}") != catalog.npos;
        most =
            std::max(most, ++named[is_for_all ? std::string_view() : catalog.substr(0, catalog.find('='))]);
    }
    if (sources.size() > most)
        session.print_warning(
            fmt::format("the cluster's operators come from {}: the plan looks for all of them in the named "
                        "catalogs",
                        listed(sources)));
}

void read_live(const PlanFlags& flags, std::string& version, ReadOperators& read,
               std::set<std::string>& sources, Session& session) {
    const Connection connection = connect(flags.connection, session);
    read.release = flags.release.read_on(connection, session);
    const cluster::ClusterSnapshot found =
        cluster::read_cluster(connection.kubectl, connection.served, cluster::Scope::everywhere());
    for (const cluster::OperatorState& state : found.operators) {
        read.operators.push_back(of_state(state, found));
        if (!state.catalog.empty()) sources.insert(state.catalog);
    }
    // Of what may not be read nobody can say that it blocks nothing.
    for (const std::string& unread : found.unread) {
        session.print_warning(unread);
        InstalledOperator installed;
        installed.given = "what could not be read";
        installed.unknown = unread;
        read.operators.push_back(std::move(installed));
    }
    if (const auto own = connection.kubectl.get("clusterversions.config.openshift.io", "version")) {
        use_version(own->text("status", "desired", "version"), version, session);
        add_cluster(*own, read);
    }
}

} // namespace

std::optional<ReadOperators> read_operators(const PlanFlags& flags, std::string& version, Session& session) {
    ReadOperators read;
    for (const std::string& value : flags.installed) {
        std::error_code ignored;
        if (value != "-" && !std::filesystem::exists(value, ignored)) {
            read.names.push_back(value);
            continue;
        }
        const auto file = read_list(value);
        for (const std::string_view line : entries_of_list(*file)) read.names.emplace_back(line);
    }
    Diagnostics findings;
    classic::ClusterState state;
    read_cluster_files(flags.cluster, state, findings);
    print_findings(findings, session);
    if (!findings.empty()) return std::nullopt;
    read.operators = planning::operators_of(state);
    std::set<std::string> sources; // CatalogSources and ClusterCatalogs by name
    for (const classic::Subscription& subscription : state.subscriptions)
        if (!subscription.source.empty())
            sources.insert(subscription.source_namespace + "/" + subscription.source);
    for (const classic::Object& object : state.others) {
        if (object.kind() == "ClusterVersion") {
            use_version(object.text("status", "desired", "version"), version, session);
            add_cluster(object, read);
        }
        if (object.kind() == "ClusterExtension")
            if (const std::string catalog = cluster::catalog_of(object); !catalog.empty())
                sources.insert(catalog);
    }
    if (flags.from_cluster) read_live(flags, version, read, sources, session);
    planning::refuse_packages_of_both(read.operators);
    warn_of_sources(sources, flags, session);
    return read;
}

} // namespace opcat
