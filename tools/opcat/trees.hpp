// The command trees, one per name that the binary is called by.
#pragma once

namespace opcat {

class Command;
class Session;

void build_opcat_tree(Command root, Session& session);
// The commands that work with a cluster: all that there is under the name kubectl-opcat.
void build_cluster_tree(Command root, Session& session);
void build_opm_tree(Command root, Session& session);

} // namespace opcat
