#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void build_cluster_tree(CLI::App& app, Session& session) {
    add_catalog(app, session);
    add_search(app, session);
    add_install(app, session);
    add_upgrade(app, session);
    add_approve(app, session);
    add_uninstall(app, session);
    add_status(app, session);
    add_bundle(app, session);
}

} // namespace opcat
