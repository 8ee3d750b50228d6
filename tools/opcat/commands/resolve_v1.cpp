#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "commands/resolve.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/resolve/v1/cluster_extension.hpp"
#include "opcat/resolve/v1/installed.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

using namespace olmv1;

struct ResolveV1Options {
    std::string package;
    std::vector<std::string> catalogs;
    std::string version;
    std::vector<std::string> channels;
    std::vector<std::string> selector; // KEY=VALUE
    std::optional<Policy> policy;
    std::string installed;
    std::vector<std::string> features;
    OlmReleaseFlags olm;
    std::string manifest;
    BatchFlags batch;
    Form output = Form::text;
    std::string against;
    bool explain = false;
    bool to_end = false;
    bool all_installed = false;
    bool from_cluster = false;
    ClusterFlags connection;
    ImageFlags images;
};

Labels labels_from(const std::vector<std::string>& pairs) {
    Labels labels;
    for (const std::string& pair : pairs) {
        const size_t equals = pair.find('=');
        if (equals == pair.npos)
            throw RequestError(fmt::format("--selector {}: this is not KEY=VALUE", pair));
        labels[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return labels;
}

struct Asked {
    std::string extension;
    Request request;
};

Request from_flags(const ResolveV1Options& options, const OlmRelease& release) {
    Request request;
    request.package = options.package;
    request.version = options.version;
    if (const auto range = semver::Constraints::parse(options.version); !options.version.empty() && !range)
        throw RequestError(fmt::format("--version {} is not a range of versions: {}", options.version,
                                       range.error().message),
                           "for example 1.2.x, or '>=1.2.0 <2.0.0'");
    request.channels = options.channels;
    if (!options.selector.empty()) request.selector = {labels_from(options.selector), {}};
    request.policy = options.policy.value_or(request.policy);
    request.installer = Installer{.release = release};
    request.release_support = !options.features.empty() || release.supports_bundle_releases();
    return request;
}

// Requests that the API server refuses have been printed, and are left out.
std::vector<Asked> from_manifest(const ResolveV1Options& options, const OlmRelease& release,
                                 Session& session) {
    const auto file = read_input(options.manifest);
    Diagnostics findings;
    std::vector<Asked> asked;
    const std::vector<ClusterExtension> extensions = read_cluster_extensions(*file, release, findings);
    for (const ClusterExtension& extension : extensions) {
        findings.insert(findings.end(), extension.findings.begin(), extension.findings.end());
        if (extension.is_refused()) continue;
        asked.push_back({extension.name, extension.request});
        asked.back().request.release_support |= !options.features.empty();
    }
    if (extensions.empty() && findings.empty())
        throw RequestError(fmt::format("{} holds no ClusterExtension", options.manifest));
    report_findings(findings, session);
    return asked;
}

void print_table(const ResolveV1Options& options, const Request& request,
                 const std::vector<NamedCatalog>& catalogs, CatalogCache& cache, Session& session) {
    const auto is_stuck = [](const UpgradeOutcome& one) { return one.kind == UpgradeOutcome::Kind::stuck; };
    std::optional<std::vector<NamedCatalog>> old; // which outcomes refer to
    std::vector<UpgradeOutcome> before;
    if (!options.against.empty()) {
        old = cache.load({options.against});
        if (!old) {
            session.exit_status = exit_findings;
            return;
        }
        before = upgrade_outcomes(request, *old, session.pool());
        if (before.empty())
            throw RequestError(fmt::format("{} has no version of package {} to compare with", options.against,
                                           request.package));
    }
    const std::vector<UpgradeOutcome> now = upgrade_outcomes(request, catalogs, session.pool(), before);
    if (std::ranges::all_of(now, &UpgradeOutcome::is_gone)) {
        // Without a bundle that can be installed, there is none to resolve to.
        session.print_error(resolve(request, catalogs).error);
        session.exit_status = exit_findings;
        return;
    }
    if (before.empty()) {
        session.out.write(options.output == Form::json       ? outcomes_as_json(request, now, nullptr)
                          : options.output == Form::markdown ? outcomes_as_markdown(now)
                                                             : outcomes_as_text(now));
        if (std::ranges::any_of(now, is_stuck)) session.exit_status = exit_findings;
        return;
    }
    const std::vector<OutcomeChange> changes = compare(before, now);
    session.out.write(options.output == Form::json       ? outcomes_as_json(request, now, &changes)
                      : options.output == Form::markdown ? changes_as_markdown(changes)
                                                         : changes_as_text(changes));
    if (std::ranges::all_of(now, is_stuck) || std::ranges::any_of(changes, &OutcomeChange::is_worse))
        session.exit_status = exit_findings;
}

void resolve_and_print(const ResolveV1Options& options, const std::vector<Asked>& asked,
                       const std::vector<NamedCatalog>& catalogs, Session& session) {
    std::deque<Resolution> resolutions; // which reports refer to
    std::vector<ResolveReport> reports;
    for (const auto& [extension, request] : asked) {
        for (const std::string& channel : unknown_channels(request, catalogs))
            session.print_warning(
                fmt::format("no catalog has channel {} of package {}", channel, request.package));
        const Resolution& resolution = resolutions.emplace_back(resolve(request, catalogs));
        reports.push_back(report_on(extension, request, resolution, catalogs, options.to_end));
        if (reports.back().fails()) session.exit_status = exit_findings;
    }
    if (options.output == Form::json) {
        session.out.write(reports_as_json(reports));
        return;
    }
    const ReportForm form{.whole = options.explain,
                          .for_all_bundles = "--explain shows all",
                          .for_another_release = "--olm-release and --feature-set name another"};
    for (const ResolveReport& report : reports) {
        if (&report != reports.data()) session.out.write("\n");
        session.out.write(report_as_text(report, form));
    }
}

void check(const ResolveV1Options& options) {
    refuse_shard_without_batch(options.batch, "--batch");
    if (!options.batch.file.empty()) {
        if (!options.package.empty() || !options.catalogs.empty() || !options.manifest.empty() ||
            options.olm.given())
            throw RequestError("--batch reads its requests from the file, not from the command line");
        return;
    }
    if (!options.manifest.empty() &&
        (!options.package.empty() || !options.version.empty() || !options.channels.empty() ||
         !options.selector.empty() || options.policy))
        throw RequestError("-f reads the request from the manifest, not from flags",
                           "leave out PACKAGE, --version, --channel, --selector and --policy, or -f");
    if (options.manifest.empty() && options.package.empty())
        throw RequestError("there is no package to resolve", "name it, or give a manifest with -f");
    if (options.from_cluster && !options.catalogs.empty())
        throw RequestError("--from-cluster takes the catalogs from the cluster, not from --catalog");
    if (!options.against.empty() && !options.all_installed)
        throw RequestError("--against compares the tables of --all-installed");
    if (options.all_installed && (!options.installed.empty() || options.to_end || options.explain))
        throw RequestError("--all-installed cannot be combined with --installed, --to-end or --explain");
    if (options.output == Form::markdown && !options.all_installed)
        throw RequestError("-o markdown is for --all-installed");
}

// What `opcat upgrade` would ask for: flags come before the fields of the ClusterExtension.
void complete_from(const Request& extension, const ResolveV1Options& options, Request& asked) {
    if (asked.channels.empty()) asked.channels = extension.channels;
    if (!asked.selector) asked.selector = extension.selector;
    if (!options.policy) asked.policy = extension.policy;
}

// The catalogs of a cluster; its ClusterExtensions complete the requests.
cluster::V1Catalogs read_live_cluster(const ResolveV1Options& options, const Connection& connection,
                                      std::vector<Asked>& asked, Session& session) {
    for (const kube::Object& object : connection.kubectl.list(cluster::resource::cluster_extensions)) {
        const Request extension = request_of(object);
        for (Asked& one : asked) {
            if (extension.package != one.request.package) continue;
            if (options.manifest.empty()) {
                complete_from(extension, options, one.request);
                one.request.installer = installer_for(object, one.request.installer->release);
            }
            if (extension.installed) one.request.installed = extension.installed;
        }
    }
    cluster::V1Catalogs catalogs(connection.kubectl, {}, catalog_access(options.images, session));
    if (catalogs.incomplete())
        for (const std::string& remark : catalogs.remarks()) session.print_warning(remark);
    return catalogs;
}

void run(const ResolveV1Options& options, Session& session) {
    check(options);
    if (!options.batch.file.empty()) return answer_resolve_v1_batch(options.batch, options.images, session);
    std::optional<Connection> connection;
    if (options.from_cluster) {
        connection.emplace(connect(options.connection, session));
        choose(connection->served, cluster::Olm::v1);
    }
    const OlmRelease release = connection ? options.olm.read_on(*connection, session) : options.olm.read();
    std::vector<Asked> asked;
    if (options.manifest.empty())
        asked.push_back({"", from_flags(options, release)});
    else
        asked = from_manifest(options, release, session);
    if (asked.empty()) return;
    CatalogCache cache(session, options.images);
    std::optional<cluster::V1Catalogs> live;
    if (connection) live.emplace(read_live_cluster(options, *connection, asked, session));
    const auto catalogs = live ? std::optional(live->named()) : cache.load(options.catalogs);
    if (!catalogs) {
        session.exit_status = exit_findings;
        return;
    }
    if (!options.installed.empty()) {
        if (asked.size() > 1)
            throw RequestError("--installed is for one ClusterExtension, and there are several");
        asked[0].request.installed = read_installed(options.installed, asked[0].request, *catalogs);
    }
    if (!options.all_installed) return resolve_and_print(options, asked, *catalogs, session);
    for (const Asked& one : asked) print_table(options, one.request, *catalogs, cache, session);
}

} // namespace

void add_resolve_v1(Command resolve, Session& session) {
    const Command command = resolve.add_command("v1", "Predict what OLM v1 would install or upgrade to");
    auto& options = command.action<ResolveV1Options>(run, session);
    command.footer(
        "Examples:\n"
        "  opcat resolve v1 argocd-operator --catalog catalog/ --installed argocd-operator.v0.8.0\n"
        "  opcat resolve v1 argocd-operator --from-cluster --version '>=0.9.0'\n"
        "  opcat resolve v1 -f extension.yaml --catalog community=catalog/,priority=10 --to-end\n"
        "  opcat resolve v1 argocd-operator --catalog catalog/ --olm-release 1.5 --feature-set experimental\n"
        "  opcat resolve v1 argocd-operator --catalog new/ --all-installed --against old/\n\n"
        "Exit status: 0 if OLM chooses a bundle and no reason is known for which it does not install it, "
        "else 1.");
    command.add_option("PACKAGE", options.package, "The package that a ClusterExtension asks for");
    command.add_option("--catalog CATALOG", options.catalogs,
                       "A catalog that the cluster has: [NAME=]REF[,priority=N][,labels=KEY=VALUE]"
                       "[,unavailable]");
    command.add_option("--version", options.version, "Range of versions, as in spec.source.catalog.version");
    command.add_option("--channel", options.channels, "Channel");
    command.add_option("--selector KEY=VALUE", options.selector, "Label that a catalog must have");
    command.add_choice("--policy", options.policy, {Policy::catalog_provided, Policy::self_certified},
                       "CatalogProvided or SelfCertified");
    command.add_option("--installed BUNDLE", options.installed,
                       "The installed bundle: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION, and then "
                       ",release=R if it has one");
    command.add_option("--features", options.features, "Feature gate: BundleReleaseSupport")
        .one_of({"BundleReleaseSupport"});
    add_olm_release_flags(command, options.olm);
    command.add_option("-f,--filename FILE", options.manifest,
                       "File with ClusterExtension manifests; - is standard input");
    command.add_flag("--from-cluster", options.from_cluster,
                     "Read the catalogs and the installed operators from a cluster, through kubectl");
    add_connection_flags(command, options.connection);
    command.add_flag("--explain", options.explain, "Show every bundle with the reasons against it");
    command.add_flag("--to-end", options.to_end, "Follow automatic upgrades to the end");
    command.add_flag("--all-installed", options.all_installed,
                     "Assume each version in turn as installed, and show what happens to it");
    command.add_option("--against OLD", options.against, "With --all-installed: compare with this catalog");
    command
        .add_choice("-o,--output", options.output, {Form::text, Form::json, Form::markdown},
                    "text, json, or markdown (with --all-installed)")
        .show_default();
    add_batch_flags(command, options.batch,
                    "Answer the requests in FILE, one JSON object a line; - is standard input");
    add_image_flags(command, options.images);
}

} // namespace opcat
