#include "catalog/csv_metadata.hpp"
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
    bool migrate = false;
    std::string image_template;
};

// Whether there is something to write.
bool report(const Diagnostics& findings, Session& session) {
    print_findings(findings, session);
    if (count_findings(findings).errors == 0) return true;
    session.exit_status = exit_findings;
    return false;
}

void run(const Options& options, Session& session) {
    ReferenceOptions reading;
    if (!options.image_template.empty())
        reading.image_template = ImageTemplate::parse(options.image_template);
    LoadedCatalog loaded = load_references(options.references, session, reading);
    if (!report(loaded.diagnostics, session)) return;
    if (options.migrate && !report(migrate_to_csv_metadata(loaded.catalog, session.pool()), session)) return;
    write_catalog(loaded.catalog, options.format, session.pool(),
                  [&](std::string_view, std::string_view text) { session.out.write(text); });
}

} // namespace

void add_render(CLI::App& tree, Session& session) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = tree.add_subcommand("render", "Print catalogs and bundles as one normalised stream");
    command->add_option("REF", options->references, "Directories of catalogs and bundles, index databases")
        ->required();
    command->add_option("-o,--output", options->format, "Format: json or yaml")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Format>{{"json", Format::json}, {"yaml", Format::yaml}}));
    command->add_option(
        session.as_opm() ? "--alpha-image-ref-template" : "--image-ref-template", options->image_template,
        "Image of bundles rendered from directories; {{.Package}}, {{.Name}} and {{.Version}} "
        "stand for theirs");
    auto* level = command
                      ->add_option("--migrate-level", options->migrate,
                                   "Last migration to run: none or bundle-object-to-csv-metadata")
                      ->transform(CLI::CheckedTransformer(std::map<std::string, bool>{
                          {"none", false}, {"bundle-object-to-csv-metadata", true}}));
    if (session.as_opm())
        command->add_flag("--migrate", options->migrate, "Run all migrations")->excludes(level);
    command->callback([options, &session] { run(*options, session); });
}

} // namespace opcat
