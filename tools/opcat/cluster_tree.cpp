#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void build_cluster_tree(CLI::App& app, Session& session) {
    add_status(app, session);
}

} // namespace opcat
