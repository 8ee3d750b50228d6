// The operators of a plan: from names, manifests, and a live cluster.
#include "classic_inputs.hpp"
#include "commands/plan.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/planning/manifests.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace opcat {
namespace {

using planning::InstalledOperator;

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

// Adds the objects of the cluster, and as operators of which nothing is known what may not be read.
void read_live(const PlanFlags& flags, classic::ClusterState& state, ReadOperators& read,
               Diagnostics& findings, Session& session) {
    const Connection connection = connect(flags.connection, session);
    read.release = flags.release.read_on(connection, session);
    const cluster::ClusterSnapshot found =
        cluster::read_cluster(connection.kubectl, connection.served, cluster::Scope::everywhere());
    std::vector<kube::Object> objects = found.classic.for_resolution();
    for (const auto* more : {&found.extensions, &found.cluster_catalogs})
        objects.insert(objects.end(), more->begin(), more->end());
    if (auto own = connection.kubectl.get("clusterversions.config.openshift.io", "version"))
        objects.push_back(*std::move(own));
    for (const kube::Object& object : objects) classic::add_object(object, state, findings);
    for (const std::string& unread : found.unread) {
        session.print_warning(unread);
        InstalledOperator installed;
        installed.given = "what could not be read";
        installed.unknown = unread;
        read.operators.push_back(std::move(installed));
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
    if (flags.from_cluster) read_live(flags, state, read, findings, session);
    print_findings(findings, session);
    if (!findings.empty()) return std::nullopt;
    const bool is_whole = flags.from_cluster && read.operators.empty();
    std::vector<InstalledOperator> there = planning::operators_of(state, is_whole);
    read.operators.insert(read.operators.begin(), there.begin(), there.end());
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
    warn_of_sources(sources, flags, session);
    return read;
}

} // namespace opcat
