#include "command.hpp"
#include "findings.hpp"
#include "graph/catalog_diff.hpp"
#include "references.hpp"
#include "session.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

namespace opcat {
namespace {

struct Options {
    std::string before;
    std::string after;
    std::string format = "text";
    std::vector<std::string> fail_on;
    ImageFlags images;
};

std::set<HarmKind> kinds_to_fail_on(const std::vector<std::string>& names) {
    std::set<HarmKind> kinds;
    std::vector<std::string_view> known{"any"};
    for (const HarmKind kind : all_harm_kinds()) known.push_back(to_string(kind));
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            const std::string near = did_you_mean(name, known);
            throw UsageError(fmt::format("--fail-on does not know \"{}\"", name),
                             near.empty() ? fmt::format("it knows {}", fmt::join(known, ", ")) : near);
        }
        for (const HarmKind kind : all_harm_kinds())
            if (name == "any" || to_string(kind) == name) kinds.insert(kind);
    }
    return kinds;
}

void run(const Options& options, Session& session) {
    const std::set<HarmKind> fail_on = kinds_to_fail_on(options.fail_on);
    const std::vector<LoadedCatalog> catalogs =
        load_each_reference({options.before, options.after}, session, {.images = options.images});
    const LoadedCatalog& before = catalogs[0];
    const LoadedCatalog& after = catalogs[1];
    const bool before_loaded = report_findings(before.diagnostics, session);
    if (!report_findings(after.diagnostics, session) || !before_loaded) return;
    const UpgradeGraph old_graph = build_upgrade_graph(before.catalog, session.pool());
    const UpgradeGraph new_graph = build_upgrade_graph(after.catalog, session.pool());
    const CatalogDiff diff = diff_catalogs(old_graph, new_graph);
    session.out.write(options.format == "json"       ? diff_as_json(diff)
                      : options.format == "markdown" ? diff_as_markdown(diff)
                                                     : diff_as_text(diff, session.colour_on_stdout()));
    if (std::any_of(diff.harms.begin(), diff.harms.end(),
                    [&](const Harm& harm) { return fail_on.contains(harm.kind); }))
        session.exit_status = exit_findings;
}

} // namespace

void add_diff(Command tree, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command =
        tree.add_command("diff", "Tell what changed between two catalogs, and whom it hurts");
    command.add_option("OLD", options->before, "Catalog as it is: a directory, an image or an index database")
        .required();
    command.add_option("NEW", options->after, "Catalog as it will be").required();
    command.add_option("-o,--output", options->format, "text, json or markdown")
        .one_of({"text", "json", "markdown"});
    command
        .add_option("--fail-on", options->fail_on,
                    "Exit with 1 on stranded, ambiguous, removed, default-channel, skipped, z-stream, "
                    "deprecated or any")
        .comma_separated();
    add_image_flags(command, options->images);
    command.footer("Examples:\n"
                   "  opcat diff main/catalog/ catalog/\n"
                   "  opcat diff OLD NEW -o markdown --fail-on stranded,ambiguous > comment.md");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
