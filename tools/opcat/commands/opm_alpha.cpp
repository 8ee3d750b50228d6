#include "commands.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void add_opm_alpha(CLI::App& tree, Session& session) {
    CLI::App* alpha = tree.add_subcommand("alpha", "Run an alpha subcommand");
    alpha->require_subcommand(1);
    add_opm_list(*alpha, session);
    add_opm_render_graph(*alpha, session);
    add_opm_render_template(*alpha, session);
    add_opm_convert_template(*alpha, session);
}

} // namespace opcat
