#include "template_commands.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void add_template(CLI::App& tree, Session& session) {
    CLI::App* command = tree.add_subcommand("template", "Render templates to catalogs, and the other way");
    command->require_subcommand(1);
    command->footer("Example:\n  opcat template render foo.yaml -o yaml > catalog/foo/catalog.yaml");
    add_template_render(*command, "render", session);
    add_template_convert(*command, "convert", session);
}

void add_opm_render_template(CLI::App& alpha, Session& session) {
    add_template_render(alpha, "render-template", session);
}

void add_opm_convert_template(CLI::App& alpha, Session& session) {
    add_template_convert(alpha, "convert-template", session);
}

} // namespace opcat
