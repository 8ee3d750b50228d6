#include "opcat/filter/filter.hpp"

#include "catalog_options.hpp"
#include "command.hpp"
#include "mirror_content.hpp"
#include "opcat/base/error.hpp"
#include "references.hpp"
#include "selection_flags.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

struct FilterOptions {
    std::string reference;
    std::string image_set;
    SelectionFlags selection;
    std::vector<std::string> excluded;
    Format format = Format::json;
    bool allow_empty = false;
    ImageFlags images;
};

// Returns what the flags or an ImageSetConfiguration select; nothing if they, or the result, have mistakes.
std::optional<FilteredCatalog> filtered_by(const FilterOptions& options, Session& session) {
    const auto load = [&] {
        return open(options.reference, opening(options.images, session, StandardInput::taken),
                    session.pool());
    };
    if (!options.excluded.empty() &&
        (!options.image_set.empty() || options.selection.any() || options.selection.with_dependencies))
        throw RequestError("--exclude-package keeps all other packages",
                           "leave out what selects packages, or --exclude-package");
    FilteredCatalog filtered;
    if (!options.image_set.empty()) {
        if (options.selection.any())
            throw RequestError("--config selects by itself",
                               "leave out --package, --channel, --version and --file");
        const auto opened = open_image_set(options.image_set, false, session);
        if (!opened) return std::nullopt;
        const ImageSetCatalog& item = item_for(opened->set, options.reference);
        const Source source = load();
        if (!report_findings(source.loaded().diagnostics, session)) return std::nullopt;
        filtered = filter_catalog(source.catalog(), item.request, options.selection.with_dependencies,
                                  session.pool());
        if (!report_findings(filtered.diagnostics, session)) return std::nullopt;
        return filtered;
    }
    auto selection = selection_of(options.selection, session);
    if (!selection) return std::nullopt;
    selection->excluded.insert(options.excluded.begin(), options.excluded.end());
    if (selection->packages.empty() && selection->excluded.empty())
        throw RequestError("nothing is selected",
                           "name what to keep with --package, --channel, --version, --file or --config, or "
                           "what not with --exclude-package");
    const Source source = load();
    if (!report_findings(source.loaded().diagnostics, session)) return std::nullopt;
    filtered =
        filter_catalog(source.catalog(), *selection, options.selection.with_dependencies, session.pool());
    if (!report_findings(filtered.diagnostics, session)) return std::nullopt;
    return filtered;
}

void run(const FilterOptions& options, Session& session) {
    const auto result = filtered_by(options, session);
    if (!result) return;
    const FilteredCatalog& filtered = *result;
    if (!report_empty(filtered.catalog, Content::blob, options.allow_empty, "the selected part",
                      "correct the path, or select something that it has", session))
        return;
    write_catalog(filtered.catalog, options.format, session.pool(),
                  [&](std::string_view, std::string_view text) { session.out.write(text); });
    session.out.flush();
    if (!session.options.quiet) session.print_lines(to_text(filtered.report));
}

} // namespace

void add_filter(Command tree, Session& session) {
    const Command command = tree.add_command("filter", "Print the selected part of a catalog");
    auto& options = command.action<FilterOptions>(run, session);
    command.add_option("REF", options.reference, reference_help(session)).required();
    add_selection_flags(command, options.selection);
    command.add_option("-P,--exclude-package PACKAGE", options.excluded, "Keep all packages but this one");
    command.add_option("--config FILE", options.image_set,
                       "Keep what an ImageSetConfiguration of oc-mirror v2 selects of this catalog");
    add_format_option(command, options.format);
    add_allow_empty_flag(command, options.allow_empty, session);
    add_image_flags(command, options.images);
    command.footer(
        "The result validates. Without --config, every version that stays can be upgraded to the same others "
        "as "
        "before; with it, the edges stay as they are, as in oc-mirror.\n"
        "What was dropped is reported on standard error.\n\n"
        "Examples:\n  opcat filter catalog/ --package foo --channel bar/stable -o yaml\n"
        "  opcat filter quay.io/example/catalog:v1 --version 'foo>=1.2 <2' --with-dependencies > part.json\n"
        "  opcat filter catalog/ --exclude-package foo -o yaml > rest.yaml\n"
        "  opcat filter catalog/ --config imageset.yaml");
}

} // namespace opcat
