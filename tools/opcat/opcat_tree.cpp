#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void build_opcat_tree(CLI::App& app, Session& session) {
    app.description("Renders, checks, draws, resolves and installs operator catalogs.");
    add_render(app, session);
    add_validate(app, session);
    add_explain(app, session);
    add_semver(app, session);
    add_cache(app, session);
    add_version(app, session);
}

} // namespace opcat
