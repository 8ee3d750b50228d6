#include "base/error.hpp"
#include "base/go_quote.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "graph/contents.hpp"
#include "lint/lint.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>

#include <memory>

namespace opcat {
namespace {

struct Options {
    std::string reference;
    std::string package;
};

// opm lists valid catalogs only.
bool is_valid(const LoadedCatalog& loaded, Session& session) {
    return report_findings(loaded.diagnostics, session) &&
           report_findings(find_errors(loaded.catalog, session.pool()), session);
}

std::vector<const PackageGraph*> packages_to_list(const UpgradeGraph& graph, const std::string& package) {
    std::vector<const PackageGraph*> packages;
    std::vector<std::string_view> names;
    for (const PackageGraph& one : graph.packages) {
        names.push_back(one.name);
        if (package.empty() || one.name == package) packages.push_back(&one);
    }
    if (packages.empty() && !package.empty())
        throw UsageError(fmt::format("package {} not found", go_quote(package)),
                         did_you_mean(package, names));
    return packages;
}

std::string packages_as_text(const UpgradeGraph& graph, const std::string&) {
    std::string text = "NAME\tDISPLAY NAME\tDEFAULT CHANNEL\n";
    for (const PackageRow& row : list_packages(graph, CsvSource::objects))
        text += fmt::format("{}\t{}\t{}\n", row.package->name, row.display_name, row.default_channel);
    return text;
}

std::string channels_as_text(const UpgradeGraph& graph, const std::string& package) {
    std::string text = "PACKAGE\tCHANNEL\tHEAD\n";
    for (const PackageGraph* one : packages_to_list(graph, package))
        for (const ChannelRow& row : list_channels(*one))
            text += fmt::format("{}\t{}\t{}\n", one->name, row.channel->name, row.head);
    return text;
}

std::string bundles_as_text(const UpgradeGraph& graph, const std::string& package) {
    std::string text = "PACKAGE\tCHANNEL\tBUNDLE\tREPLACES\tSKIPS\tSKIP RANGE\tIMAGE\n";
    for (const PackageGraph* one : packages_to_list(graph, package))
        for (const BundleRow& row : list_bundles(*one, BundleOrder::name)) {
            std::vector<std::string_view> skips(row.entry->source->skips.begin(),
                                                row.entry->source->skips.end());
            text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", one->name, row.channel->name, row.node->name,
                                row.entry->source->replaces.text, fmt::join(skips, ","),
                                row.entry->source->skip_range.text, row.node->bundle->image.text);
        }
    return text;
}

void add(Command list, const std::string& name, const std::string& description,
         std::string (*as_text)(const UpgradeGraph&, const std::string&), bool takes_package,
         Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command = list.add_command(name, description);
    command.add_option("indexRef", options->reference, "Catalog").required();
    if (takes_package) command.add_option("packageName", options->package, "List only this package");
    command.callback([options, as_text, &session] {
        const LoadedCatalog loaded =
            load_references({options->reference}, session, {.taken = Taken::catalogs});
        if (!is_valid(loaded, session)) return;
        const UpgradeGraph graph = build_upgrade_graph(loaded.catalog, session.pool());
        session.out.write(align_columns(as_text(graph, options->package)));
    });
}

} // namespace

void add_opm_list(Command alpha, Session& session) {
    const Command list = alpha.add_command("list", "List contents of an index");
    list.needs_command();
    add(list, "packages", "List packages in an index", packages_as_text, false, session);
    add(list, "channels", "List package channels in an index", channels_as_text, true, session);
    add(list, "bundles", "List package bundles in an index", bundles_as_text, true, session);
    list.footer("Example: opm alpha list channels catalog/ foo");
}

} // namespace opcat
