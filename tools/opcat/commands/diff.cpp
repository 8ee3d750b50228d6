#include "command.hpp"
#include "opcat/graph/catalog_diff.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace opcat {
namespace {

struct DiffOptions {
    std::string before;
    std::string after;
    std::string format = "text";
    std::vector<std::string> fail_on;
    ImageFlags images;
    TemplateUse templates{.bundle_directories = {}, .needs_channels = true};
};

constexpr std::string_view any_regression = "any";

std::vector<std::string> names_to_fail_on() {
    std::vector<std::string> names;
    for (const RegressionKind kind : all_regression_kinds()) names.emplace_back(to_string(kind));
    names.emplace_back(any_regression);
    return names;
}

void run(const DiffOptions& options, Session& session) {
    const std::vector<Source> catalogs =
        open_each({options.before, options.after},
                  opening(options.images, session, StandardInput::taken, options.templates), session.pool());
    const LoadedCatalog& before = catalogs[0].loaded();
    const LoadedCatalog& after = catalogs[1].loaded();
    const bool before_loaded = report_findings(before.diagnostics, session);
    if (!report_findings(after.diagnostics, session) || !before_loaded) return;
    const UpgradeGraph old_graph = build_upgrade_graph(before.catalog, session.pool());
    const UpgradeGraph new_graph = build_upgrade_graph(after.catalog, session.pool());
    const CatalogDiff diff = diff_catalogs(old_graph, new_graph);
    // The bundles of templates may have changed.
    const bool knows_all = !before.bundles_unknown && !after.bundles_unknown;
    if (options.format == "text" && diff.packages.empty() && !knows_all)
        session.out.write("no changes of channels; the bundles were not compared\n");
    else
        session.out.write(options.format == "json"       ? diff_as_json(diff)
                          : options.format == "markdown" ? diff_as_markdown(diff)
                                                         : diff_as_text(diff, session.colour_on_stdout()));
    const auto is_failure = [&](const Regression& regression) {
        return std::any_of(options.fail_on.begin(), options.fail_on.end(), [&](const std::string& name) {
            return name == any_regression || name == to_string(regression.kind);
        });
    };
    if (std::any_of(diff.regressions.begin(), diff.regressions.end(), is_failure))
        session.exit_status = exit_findings;
}

} // namespace

void add_diff(Command tree, Session& session) {
    const auto options = std::make_shared<DiffOptions>();
    const Command command =
        tree.add_command("diff", "Show what changed between two catalogs, and the regressions for users");
    command
        .add_option("OLD", options->before,
                    "Catalog as it is: a directory, an image, an index database, or - for standard input")
        .required();
    command.add_option("NEW", options->after, "Catalog as it will be").required();
    command.add_option("-o,--output", options->format, "text, json or markdown")
        .one_of({"text", "json", "markdown"});
    command.add_option("--fail-on", options->fail_on, "Exit with 1 if there are regressions of these kinds")
        .value_name("KIND")
        .one_of(names_to_fail_on())
        .comma_separated();
    add_image_flags(command, options->images);
    add_template_flags(command, options->templates);
    command.footer("Examples:\n"
                   "  opcat diff main/catalog/ catalog/\n"
                   "  opcat diff OLD NEW -o markdown --fail-on stranded,ambiguous > comment.md");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
