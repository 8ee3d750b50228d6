#include "opcat/filter/filter.hpp"

#include "catalog_options.hpp"
#include "command.hpp"
#include "opcat/base/error.hpp"
#include "references.hpp"
#include "selection_flags.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

struct FilterOptions {
    std::string reference;
    SelectionFlags selection;
    Format format = Format::json;
    bool allow_empty = false;
    ImageFlags images;
};

void run(const FilterOptions& options, Session& session) {
    const auto selection = selection_of(options.selection, session);
    if (!selection) return;
    if (selection->packages.empty())
        throw RequestError("nothing is selected",
                           "name what to keep with --package, --channel, --version or --file");
    const Source source =
        open(options.reference, opening(options.images, session, StandardInput::taken), session.pool());
    const LoadedCatalog& loaded = source.loaded();
    if (!report_findings(loaded.diagnostics, session)) return;
    const FilteredCatalog filtered =
        filter_catalog(loaded.catalog, *selection, options.selection.with_dependencies, session.pool());
    if (!report_findings(filtered.diagnostics, session)) return;
    if (!report_empty(filtered.catalog, Content::blob, options.allow_empty, "the selected part",
                      "correct the path, or select something that it has", session))
        return;
    write_catalog(filtered.catalog, options.format, session.pool(),
                  [&](std::string_view, std::string_view text) { session.out.write(text); });
    session.out.flush();
    if (!session.options.quiet) session.print(to_text(filtered.report));
}

} // namespace

void add_filter(Command tree, Session& session) {
    const auto options = std::make_shared<FilterOptions>();
    const Command command = tree.add_command("filter", "Print the selected part of a catalog");
    command.add_option("REF", options->reference, reference_help(session)).required();
    add_selection_flags(command, options->selection);
    add_format_option(command, options->format);
    add_allow_empty_flag(command, options->allow_empty, session);
    add_image_flags(command, options->images);
    command.footer(
        "The result validates, and every version that stays can be upgraded to the same others as before.\n"
        "What was dropped is reported on standard error.\n\n"
        "Examples:\n  opcat filter catalog/ --package foo --channel bar/stable -o yaml\n"
        "  opcat filter quay.io/example/catalog:v1 --version 'foo>=1.2 <2' --with-dependencies > part.json");
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
