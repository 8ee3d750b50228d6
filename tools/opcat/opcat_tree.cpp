#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void build_opcat_tree(CLI::App& app, Session& session) {
    app.description("Renders, checks, draws, resolves and installs operator catalogs.");
    add_list(app, session);
    add_graph(app, session);
    add_diff(app, session);
    add_render(app, session);
    add_explain(app, session);
    add_resolve(app, session);
    add_validate(app, session);
    add_semver(app, session);
    add_cache(app, session);
    add_generate(app, session);
    add_init(app, session);
    add_template(app, session);
    add_migrate(app, session);
    add_fmt(app, session);
    add_link(app, session);
    build_cluster_tree(app, session);
    add_version(app, session);
}

} // namespace opcat
