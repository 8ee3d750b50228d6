#include "opcat/query/search.hpp"

#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "named_catalogs.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/table.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/package_search.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

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

std::vector<Hit> find_hits(const SearchOptions& options, Session& session) {
    const Connection connection = connect(options.cluster, session);
    const auto wanted = options.cluster.olm;
    if (wanted) choose(connection.served, wanted);
    std::vector<Hit> hits;
    if (connection.served.classic && (!wanted || wanted == Olm::classic))
        hits = find_packages(list_packages(connection.kubectl, connection.ns), options.word,
                             options.lists_versions);
    if (connection.served.v1 && (!wanted || wanted == Olm::v1)) {
        const V1Catalogs catalogs(connection.kubectl, {}, catalog_access(options.images, session));
        if (catalogs.incomplete())
            for (const std::string& remark : catalogs.remarks()) session.print_warning(remark);
        std::ranges::move(find_packages(catalogs.named(), options.word, options.lists_versions),
                          std::back_inserter(hits));
    }
    sort_hits(hits);
    return hits;
}

void run(const SearchOptions& options, Session& session) {
    const std::vector<Hit> hits = find_hits(options, session);
    if (hits.empty()) session.exit_status = exit_findings;
    if (options.output == Form::json) {
        session.out.write(as_document(hits_as_json(hits, options.lists_versions)));
        return;
    }
    if (hits.empty()) {
        session.print_error(options.word.empty() ? std::string("the cluster's catalogs have no packages")
                                                 : fmt::format("no package matches \"{}\"", options.word));
        return;
    }
    session.out.write(
        table_in_locale(options.lists_versions ? versions_as_rows(hits) : hits_as_rows(hits), session));
    if (options.lists_versions) return;
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
