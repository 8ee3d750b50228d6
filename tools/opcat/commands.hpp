// One function per command, each in its file under commands/: it adds the command, whose action sets
// `session.exit_status`, to a tree. Only the trees include this, so that a new command does not recompile the
// others.
#pragma once

#include <string>

namespace opcat {

class Command;
class Session;

void add_approve(Command tree, Session& session);
void add_build(Command tree, Session& session);
void add_bundle(Command tree, Session& session);
void add_bundle_predict(Command bundle, Session& session);
void add_bundle_validate(Command bundle, Session& session);
void add_cache(Command tree, Session& session);
void add_catalog(Command tree, Session& session);
void add_completion(Command tree, Session& session);
void add_compose(Command tree, Session& session);
void add_config(Command tree, Session& session);
void add_copy(Command tree, Session& session);
void add_diff(Command tree, Session& session);
void add_log(Command tree, Session& session);
void add_blame(Command tree, Session& session);
void add_edit(Command tree, Session& session);
void add_explain(Command tree, Session& session);
void add_filter(Command tree, Session& session);
void add_fmt(Command tree, Session& session);
void add_generate(Command tree, Session& session);
void add_graph(Command tree, Session& session);
void add_help(Command tree, Session& session);
void add_init(Command tree, Session& session);
void add_install(Command tree, Session& session);
void add_job(Command tree, Session& session);
void add_link(Command tree, Session& session);
void add_list(Command tree, Session& session);
void add_plan(Command tree, Session& session);
void add_lsp(Command tree, Session& session);
void add_describe_commands(Command tree, Session& session);
void add_mcp(Command tree, Session& session);
void add_merge(Command tree, Session& session);
void add_migrate(Command tree, Session& session);
void add_migrate_olm(Command tree, Session& session);
void add_mirror(Command tree, Session& session);
void add_opm_alpha(Command tree, Session& session);
void add_opm_bundle_validate(Command alpha, Session& session);
void add_opm_convert_template(Command alpha, Session& session);
void add_opm_legacy(Command tree, Session& session);
void add_opm_list(Command alpha, Session& session);
void add_opm_render_graph(Command alpha, Session& session);
void add_opm_render_template(Command alpha, Session& session);
void add_query(Command tree, Session& session);
void add_render(Command tree, Session& session);
void add_resolve(Command tree, Session& session);
void add_schema(Command tree, Session& session);
void add_search(Command tree, Session& session);
void add_semver(Command tree, Session& session);
void add_serve(Command tree, Session& session);
void add_status(Command tree, Session& session);
void add_template(Command tree, Session& session);
void add_uninstall(Command tree, Session& session);
void add_upgrade(Command tree, Session& session);
void add_validate(Command tree, Session& session);
void add_version(Command tree, Session& session);

} // namespace opcat
