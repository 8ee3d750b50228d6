#include "catalog_options.hpp"
#include "command.hpp"
#include "opcat/authoring/migrate.hpp"
#include "opcat/catalog/write.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

namespace opcat {
namespace {

struct Options {
    std::vector<std::string> references;
    Format format = Format::json;
    bool migrate = false;
    std::string output_directory;
    std::string image_template;
    ImageFlags images;
};

void run(const Options& options, Session& session) {
    ReferenceOptions how{.images = options.images, .standard_input = true};
    if (!options.image_template.empty()) how.image_template = ImageTemplate::parse(options.image_template);
    LoadedCatalog loaded = load_references(options.references, session, how);
    if (!report_findings(loaded.diagnostics, session)) return;
    if (options.migrate && !report_findings(migrate_to_csv_metadata(loaded.catalog, session.pool()), session))
        return;
    if (!options.output_directory.empty())
        write_catalog_directory(loaded.catalog, options.format, options.output_directory, session.pool());
    else
        write_catalog(loaded.catalog, options.format, session.pool(),
                      [&](std::string_view, std::string_view text) { session.out.write(text); });
}

} // namespace

void add_render(Command tree, Session& session) {
    const auto options = std::make_shared<Options>();
    const Command command = tree.add_command("render", "Print catalogs and bundles as one normalised stream");
    command.add_option("REF", options->references, reference_help(session)).required();
    add_format_option(command, options->format);
    const Option level = add_migrate_option(command, options->migrate);
    command.add_option(session.as_opm() ? "--alpha-image-ref-template" : "--image-ref-template",
                       options->image_template,
                       "Image of bundles that are rendered from directories; {{.Package}}, {{.Name}} and "
                       "{{.Version}} are replaced");
    if (session.as_opm()) {
        command.add_flag("--migrate", options->migrate, "Run all migrations").excludes(level);
    } else {
        command.add_option(
            "--output-dir", options->output_directory,
            "Write DIR/PACKAGE/catalog.json or .yaml for each package instead of one stream; DIR is "
            "new, or empty");
        command.footer("Examples:\n  opcat render catalog/ -o yaml\n  opcat render "
                       "registry.example/operators/catalog:latest --output-dir catalog -o yaml\n  opcat "
                       "render bundle/ --image-ref-template 'registry.example/{{.Package}}:v{{.Version}}'");
    }
    add_image_flags(command, options->images);
    command.callback([options, &session] { run(*options, session); });
}

} // namespace opcat
