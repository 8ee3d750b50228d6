#include "opcat/authoring/migrate.hpp"

#include "catalog_options.hpp"
#include "command.hpp"
#include "opcat/catalog/write.hpp"
#include "outputs.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

struct MigrateOptions {
    std::string reference;
    std::string directory;
    Format format = Format::json;
    bool migrate = false;
    ImageFlags image_flags;
};

void run(const MigrateOptions& options, Session& session) {
    if (!session.as_opm()) require_apart({{"the directory", options.directory}}, {options.reference});
    LoadedCatalog loaded =
        open(options.reference, opening(options.image_flags, session, StandardInput::taken), session.pool())
            .take();
    if (!report_findings(loaded.diagnostics, session)) return;
    if (!session.as_opm() && is_empty(loaded.catalog))
        session.print_warning(fmt::format("{} is empty, and nothing is written", options.reference));
    if (options.migrate && !report_findings(migrate_to_csv_metadata(loaded.catalog, session.pool()), session))
        return;
    write_catalog_directory(loaded.catalog, options.format, options.directory, session.pool());
}

} // namespace

void add_migrate(Command tree, Session& session) {
    const Command command =
        tree.add_command("migrate", "Write a catalog as a directory, one folder per package");
    auto& options = command.action<MigrateOptions>(run, session);
    command.add_option("REF", options.reference, reference_help(session)).required();
    command.add_option("DIR", options.directory, "Directory to write: new, or empty").required();
    add_format_option(command, options.format);
    add_migrate_option(command, options.migrate);
    add_image_flags(command, options.image_flags);
    command.footer("Example:\n  opcat migrate quay.io/example/catalog:v1 catalog/ -o yaml");
}

} // namespace opcat
