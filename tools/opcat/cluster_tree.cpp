#include "command.hpp"
#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

namespace opcat {

void build_cluster_tree(Command root, Session& session) {
    add_catalog(root, session);
    add_search(root, session);
    add_install(root, session);
    add_upgrade(root, session);
    add_approve(root, session);
    add_uninstall(root, session);
    add_status(root, session);
    add_bundle(root, session);
}

} // namespace opcat
