// One function per command, each in its file under commands/: it adds the command to a tree, and what it adds
// sets `session.exit_status` when it has run. Only the trees include this: a new command is not to compile
// all others again.
#pragma once

namespace CLI {
class App;
}

namespace opcat {

class Session;

void add_approve(CLI::App& tree, Session& session);
void add_bundle(CLI::App& tree, Session& session);
void add_cache(CLI::App& tree, Session& session);
void add_catalog(CLI::App& tree, Session& session);
void add_completion(CLI::App& tree, Session& session);
void add_compose(CLI::App& tree, Session& session);
void add_diff(CLI::App& tree, Session& session);
void add_explain(CLI::App& tree, Session& session);
void add_filter(CLI::App& tree, Session& session);
void add_fmt(CLI::App& tree, Session& session);
void add_generate(CLI::App& tree, Session& session);
void add_graph(CLI::App& tree, Session& session);
void add_help(CLI::App& tree, Session& session);
void add_init(CLI::App& tree, Session& session);
void add_install(CLI::App& tree, Session& session);
void add_link(CLI::App& tree, Session& session);
void add_list(CLI::App& tree, Session& session);
void add_manual(CLI::App& tree, Session& session);
void add_migrate(CLI::App& tree, Session& session);
void add_opm_alpha(CLI::App& tree, Session& session);
void add_opm_convert_template(CLI::App& alpha, Session& session);
void add_opm_legacy(CLI::App& tree, Session& session);
void add_opm_list(CLI::App& alpha, Session& session);
void add_opm_render_graph(CLI::App& alpha, Session& session);
void add_opm_render_template(CLI::App& alpha, Session& session);
void add_render(CLI::App& tree, Session& session);
void add_resolve(CLI::App& tree, Session& session);
void add_schema(CLI::App& tree, Session& session);
void add_search(CLI::App& tree, Session& session);
void add_semver(CLI::App& tree, Session& session);
void add_status(CLI::App& tree, Session& session);
void add_template(CLI::App& tree, Session& session);
void add_uninstall(CLI::App& tree, Session& session);
void add_upgrade(CLI::App& tree, Session& session);
void add_validate(CLI::App& tree, Session& session);
void add_version(CLI::App& tree, Session& session);

} // namespace opcat
