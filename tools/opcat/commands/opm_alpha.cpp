#include "command.hpp"
#include "commands.hpp"

namespace opcat {

void add_opm_alpha(Command tree, Session& session) {
    const Command alpha = tree.add_command("alpha", "Run an alpha subcommand");
    alpha.needs_command();
    add_opm_list(alpha, session);
    add_opm_render_graph(alpha, session);
    add_opm_render_template(alpha, session);
    add_opm_convert_template(alpha, session);
}

} // namespace opcat
