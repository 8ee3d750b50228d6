#include "catalog/write.hpp"
#include "commands.hpp"
#include "findings.hpp"
#include "references.hpp"
#include "session.hpp"

#include <CLI/CLI.hpp>

#include <map>

namespace opcat {
namespace {

struct Options {
    std::vector<std::string> references;
    Format format = Format::json;
};

void run(const Options& options, Session& session) {
    const LoadedCatalog loaded = load_references(options.references, session);
    if (!loaded.diagnostics.empty()) {
        print_findings(loaded.diagnostics, session);
        session.exit_status = exit_findings;
        return;
    }
    write_catalog(loaded.catalog, options.format, session.pool(),
                  [&](std::string_view, std::string_view text) { session.out.write(text); });
}

} // namespace

void add_render(CLI::App& tree, Session& session) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = tree.add_subcommand("render", "Print catalogs and bundles as one normalised stream");
    command->add_option("REF", options->references, "Catalog directories")->required();
    command->add_option("-o,--output", options->format, "Format: json or yaml")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Format>{{"json", Format::json}, {"yaml", Format::yaml}}))
        ->option_text("json|yaml");
    command->callback([options, &session] { run(*options, session); });
}

} // namespace opcat
