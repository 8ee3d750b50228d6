// The command trees, one per name that the binary is called by.
#pragma once

namespace CLI {
class App;
}

namespace opcat {

class Session;

void build_opcat_tree(CLI::App& app, Session& session);
// The commands that work with a cluster: all that there is under the name kubectl-opcat.
void build_cluster_tree(CLI::App& app, Session& session);
void build_opm_tree(CLI::App& app, Session& session);

} // namespace opcat
