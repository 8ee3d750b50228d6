#include "command_tree.hpp"
#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

#include <CLI/CLI.hpp>

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

void set_groups(CLI::App& app) {
    for (const Group& group : groups)
        for (const char* name : group.commands)
            if (CLI::App* command = find_command(app, name)) command->group(group.title);
}

} // namespace

void build_opcat_tree(CLI::App& app, Session& session) {
    app.description("Renders, checks, draws, resolves and installs operator catalogs.");
    add_validate(app, session);
    add_explain(app, session);
    add_list(app, session);
    add_graph(app, session);
    add_diff(app, session);
    add_render(app, session);
    add_semver(app, session);
    add_schema(app, session);
    add_resolve(app, session);
    add_init(app, session);
    add_template(app, session);
    add_filter(app, session);
    add_compose(app, session);
    add_migrate(app, session);
    add_fmt(app, session);
    add_generate(app, session);
    build_cluster_tree(app, session);
    add_cache(app, session);
    add_link(app, session);
    add_completion(app, session);
    add_help(app, session);
    add_version(app, session);
    add_manual(app, session);
    set_groups(app);
}

} // namespace opcat
