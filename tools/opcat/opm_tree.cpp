#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void build_opm_tree(CLI::App& app, Session& session) {
    app.description("Operator catalogs: opcat under the name and with the behaviour of opm.");
    add_render(app, session);
    add_validate(app, session);
    add_version(app, session);
}

} // namespace opcat
