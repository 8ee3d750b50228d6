#include "command.hpp"
#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

namespace opcat {
namespace {

struct Group {
    const char* title;
    std::initializer_list<const char*> commands;
};

// In the order of the help text: what people come for first.
const Group groups[] = {
    {"Look at catalogs", {"validate", "explain", "list", "graph", "diff", "render", "semver", "schema"}},
    {"Predict", {"resolve"}},
    {"Make catalogs", {"init", "template", "compose", "filter", "migrate", "fmt", "generate"}},
    {"Work with a cluster",
     {"catalog", "search", "install", "upgrade", "approve", "uninstall", "status", "bundle"}},
    {"opcat itself", {"cache", "link", "completion", "help", "version"}},
};

void set_groups(Command root) {
    for (const Group& group : groups)
        for (const char* name : group.commands)
            if (const auto command = root.find(name)) command->group(group.title);
}

} // namespace

void build_opcat_tree(Command root, Session& session) {
    root.description("Renders, checks, draws, resolves and installs operator catalogs.");
    add_validate(root, session);
    add_explain(root, session);
    add_list(root, session);
    add_graph(root, session);
    add_diff(root, session);
    add_render(root, session);
    add_semver(root, session);
    add_schema(root, session);
    add_resolve(root, session);
    add_init(root, session);
    add_template(root, session);
    add_filter(root, session);
    add_compose(root, session);
    add_migrate(root, session);
    add_fmt(root, session);
    add_generate(root, session);
    build_cluster_tree(root, session);
    add_cache(root, session);
    add_link(root, session);
    add_completion(root, session);
    add_help(root, session);
    add_version(root, session);
    add_manual(root, session);
    set_groups(root);
}

} // namespace opcat
