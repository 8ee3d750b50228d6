#include "opcat/query/search.hpp"

#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "named_catalogs.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/catalogs.hpp"
#include "opcat/semver/version.hpp"
#include "terminal/session.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace opcat {
namespace {

using namespace cluster;

struct SearchOptions {
    ClusterFlags cluster;
    ImageFlags images;
    std::string word;
    std::vector<std::string> references; // none: the catalogs of a cluster
    bool lists_versions = false;
    Form output = Form::table;
};

// One version of a package.
struct HitVersion {
    std::string version;
    std::string bundle;
    std::vector<std::string> channels;
    bool deprecated = false;
};

struct Hit {
    std::string package;
    std::string catalog;
    Olm olm;
    std::string channel; // the default one
    std::string head;
    std::string title;
    std::vector<std::string> channels;
    std::vector<std::string> deprecations;
    std::vector<HitVersion> versions = {}; // the newest first; only if they are asked for
};

// Versions that cannot be read come last.
void sort_versions(std::vector<HitVersion>& versions) {
    std::stable_sort(versions.begin(), versions.end(), [](const HitVersion& a, const HitVersion& b) {
        const auto one = semver::Version::parse(a.version);
        const auto other = semver::Version::parse(b.version);
        if (!one || !other) return one && !other;
        return *other < *one;
    });
}

std::vector<HitVersion> versions_of(const PackageManifest& manifest) {
    std::vector<HitVersion> versions;
    for (const PackageChannel& channel : manifest.channels) {
        std::vector<PackageEntry> entries = channel.entries;
        // An old package server reports only the head.
        if (entries.empty() && !channel.head.empty())
            entries.push_back({.name = channel.head, .version = {}});
        for (const PackageEntry& entry : entries) {
            auto known = std::find_if(versions.begin(), versions.end(),
                                      [&](const HitVersion& one) { return one.bundle == entry.name; });
            if (known == versions.end())
                known = versions.insert(known, {entry.version, entry.name, {}, !entry.deprecation.empty()});
            known->channels.push_back(channel.name);
        }
    }
    sort_versions(versions);
    return versions;
}

std::vector<HitVersion> versions_of(const PackageGraph& package) {
    std::vector<HitVersion> versions;
    for (const PackageBundle& bundle : package.bundles) {
        HitVersion one{std::string(package.nodes[bundle.node].version_text),
                       std::string(bundle.name()),
                       {},
                       bundle.deprecated};
        for (const ChannelGraph& channel : package.channels)
            if (channel.find(bundle.node)) one.channels.emplace_back(channel.name);
        versions.push_back(std::move(one));
    }
    sort_versions(versions);
    return versions;
}

bool contains_ignoring_case(std::string_view text, std::string_view word) {
    return ascii_lower(text).find(ascii_lower(word)) != std::string::npos;
}

void find_classic(const SearchOptions& options, const Connection& connection, std::vector<Hit>& hits) {
    for (const PackageManifest& manifest : list_packages(connection.kubectl, connection.ns)) {
        if (!contains_ignoring_case(manifest.package, options.word) &&
            !contains_ignoring_case(manifest.display_name, options.word))
            continue;
        Hit hit{manifest.package,
                manifest.catalog_ns + "/" + manifest.catalog,
                Olm::classic,
                manifest.default_channel,
                {},
                manifest.display_name,
                {},
                manifest.deprecations()};
        if (const PackageChannel* const channel = manifest.channel(manifest.default_channel))
            hit.head = channel->head;
        for (const PackageChannel& channel : manifest.channels) hit.channels.push_back(channel.name);
        if (options.lists_versions) hit.versions = versions_of(manifest);
        hits.push_back(std::move(hit));
    }
}

void find_v1(const SearchOptions& options, const Connection& connection, Session& session,
             std::vector<Hit>& hits) {
    const V1Catalogs catalogs(connection.kubectl, {}, catalog_access(options.images, session));
    if (catalogs.incomplete())
        for (const std::string& remark : catalogs.remarks()) session.print_warning(remark);
    for (const olmv1::NamedCatalog& catalog : catalogs.named()) {
        for (const std::string_view name : catalog.index->package_names()) {
            if (!contains_ignoring_case(name, options.word)) continue;
            olmv1::Request request;
            request.package = name;
            const olmv1::Resolution resolution = olmv1::resolve(request, std::span(&catalog, 1));
            Hit hit{std::string(name), catalog.name, Olm::v1, {}, {}, {}, {}, {}};
            if (resolution.choice) {
                hit.head = resolution.choice->bundle->name();
                hit.deprecations = deprecations_of(request, *resolution.choice);
            }
            for (const ChannelGraph& channel : catalog.index->find(name)->channels)
                hit.channels.emplace_back(channel.name);
            if (options.lists_versions) hit.versions = versions_of(*catalog.index->find(name));
            hits.push_back(std::move(hit));
        }
    }
}

std::string table_of_versions(const std::vector<Hit>& hits) {
    std::string table = "PACKAGE\tCATALOG\tOLM\tVERSION\tBUNDLE\tCHANNELS\tDEPRECATED\n";
    for (const Hit& hit : hits)
        for (const HitVersion& one : hit.versions)
            table += fmt::format(
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\n", escape_controls(hit.package), hit.catalog, to_string(hit.olm),
                one.version.empty() ? "-" : escape_controls(one.version), escape_controls(one.bundle),
                one.channels.empty() ? "-" : escape_controls(fmt::format("{}", fmt::join(one.channels, ","))),
                one.deprecated ? "yes" : "-");
    return table;
}

void run(const SearchOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const auto wanted = options.cluster.olm;
    if (wanted) choose(connection.served, wanted);
    std::vector<Hit> hits;
    if (connection.served.classic && (!wanted || wanted == Olm::classic))
        find_classic(options, connection, hits);
    if (connection.served.v1 && (!wanted || wanted == Olm::v1)) find_v1(options, connection, session, hits);
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
        return std::tie(a.package, a.catalog) < std::tie(b.package, b.catalog);
    });
    if (hits.empty()) session.exit_status = exit_findings;
    if (options.output == Form::json) {
        Json json{{"schema", "opcat.search.v1"}, {"packages", Json::array()}};
        for (const Hit& hit : hits) {
            json["packages"].push_back({{"package", hit.package},
                                        {"catalog", hit.catalog},
                                        {"olm", to_string(hit.olm)},
                                        {"defaultChannel", hit.channel},
                                        {"head", hit.head},
                                        {"displayName", hit.title},
                                        {"channels", hit.channels},
                                        {"deprecations", hit.deprecations}});
            if (!options.lists_versions) continue;
            Json& versions = json["packages"].back()["versions"] = Json::array();
            for (const HitVersion& one : hit.versions)
                versions.push_back({{"version", one.version},
                                    {"bundle", one.bundle},
                                    {"channels", one.channels},
                                    {"deprecated", one.deprecated}});
        }
        session.out.write(as_document(json));
        return;
    }
    if (hits.empty()) {
        session.print_error(options.word.empty() ? std::string("the cluster's catalogs have no packages")
                                                 : fmt::format("no package matches \"{}\"", options.word));
        return;
    }
    if (options.lists_versions) {
        session.out.write(table_in_locale(table_of_versions(hits), session));
        return;
    }
    std::string table = "PACKAGE\tCATALOG\tOLM\tHEAD\tCHANNELS\n";
    for (const Hit& hit : hits) {
        std::string channels;
        for (const std::string& channel : hit.channels)
            channels += (channels.empty() ? "" : ",") + channel + (channel == hit.channel ? "*" : "");
        table +=
            fmt::format("{}\t{}\t{}\t{}\t{}\n", escape_controls(hit.package), hit.catalog, to_string(hit.olm),
                        hit.head.empty() ? "-" : escape_controls(hit.head), escape_controls(channels));
    }
    session.out.write(table_in_locale(table, session));
    for (const Hit& hit : hits)
        for (const std::string& deprecation : hit.deprecations)
            session.print_warning(fmt::format("{} in catalog {}: deprecated: {}", hit.package, hit.catalog,
                                              for_terminal(deprecation, 4)));
}

// In catalogs that are named, without a cluster.
void search_offline(const SearchOptions& options, Session& session) {
    const auto catalogs = open_named(options.references, options.images, session);
    if (!catalogs) return;
    const std::vector<query::FoundPackage> found = query::search(*catalogs, options.word, session.pool());
    if (found.empty()) session.exit_status = exit_findings;
    if (options.output == Form::json) {
        Json json{{"schema", "opcat.search-offline.v1"}, {"packages", Json::array()}};
        for (const query::FoundPackage& one : found)
            json["packages"].push_back({{"package", one.package},
                                        {"catalog", one.catalog},
                                        {"displayName", one.display_name},
                                        {"provider", one.provider},
                                        {"defaultChannel", one.channel},
                                        {"head", one.head},
                                        {"version", one.version},
                                        {"foundIn", one.where}});
        session.out.write(as_document(json));
        return;
    }
    if (found.empty())
        return session.print_error(fmt::format("no package matches \"{}\"", escape_controls(options.word)));
    std::string table = "PACKAGE\tCATALOG\tDISPLAY NAME\tHEAD\tFOUND IN\n";
    for (const query::FoundPackage& one : found)
        table += fmt::format("{}\t{}\t{}\t{}\t{}\n", escape_controls(one.package),
                             escape_controls(one.catalog), escape_controls(one.display_name),
                             escape_controls(one.head), escape_controls(one.where));
    session.out.write(table_in_locale(table, session));
}

} // namespace

void add_search(Command tree, Session& session) {
    const Command command = tree.add_command("search", "Find packages in catalogs, or in those of a cluster");
    const auto options = std::make_shared<SearchOptions>();
    command.add_option(
        "WORD", options->word,
        "Part of the package's name (default: all packages); in catalogs that are named, words of "
        "names, descriptions, keywords and kinds");
    command.add_option("REF", options->references,
                       "Catalogs to look in, as REF or NAME=REF (default: those of the cluster)");
    add_cluster_flags(command, options->cluster);
    add_image_flags(command, options->images);
    command.add_flag("--list-versions", options->lists_versions,
                     "List all versions of each package, the newest first");
    command.add_choice("-o,--output", options->output, {Form::table, Form::json}, "table or json")
        .show_default();
    command.footer("HEAD is the version that is installed by default; * marks the default channel. "
                   "Deprecations of packages, channels and heads are listed below.\n\n"
                   "Examples:\n"
                   "  opcat search prom\n"
                   "  opcat search prometheus --list-versions\n"
                   "  opcat search 'object storage' catalog/\n"
                   "  opcat search -n shop --olm classic -o json");
    command.callback([options, &session] {
        if (options->references.empty()) return run(*options, session);
        if (options->lists_versions)
            throw RequestError("--list-versions is about the catalogs of a cluster",
                               "`opcat list bundles REF -p PACKAGE` lists those of a catalog");
        search_offline(*options, session);
    });
}

} // namespace opcat
