#include "command.hpp"
#include "template_commands.hpp"

namespace opcat {

void add_template(Command tree, Session& session) {
    const Command command = tree.add_command("template", "Render templates to catalogs, and the other way");
    command.needs_command();
    command.footer("Example:\n  opcat template render foo.yaml -o yaml > catalog/foo/catalog.yaml");
    add_template_render(command, "render", session);
    add_template_convert(command, "convert", session);
}

void add_opm_render_template(Command alpha, Session& session) {
    add_template_render(alpha, "render-template", session);
}

void add_opm_convert_template(Command alpha, Session& session) {
    add_template_convert(alpha, "convert-template", session);
}

} // namespace opcat
