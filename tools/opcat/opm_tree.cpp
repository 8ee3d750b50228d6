#include "commands.hpp"
#include "session.hpp"
#include "trees.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void build_opm_tree(CLI::App& app, Session& session) {
    app.description("Operator catalogs: opcat under the name and with the behaviour of opm.");
    GlobalOptions& options = session.options;
    CLI::Option* skip_tls_verify = app.add_flag("--skip-tls-verify", options.skip_tls_verify,
                                                "Do not verify certificates of registries");
    app.add_flag("--use-http", options.use_http, "Use plain HTTP for registries")->excludes(skip_tls_verify);
    add_opm_alpha(app, session);
    add_render(app, session);
    add_validate(app, session);
    add_generate(app, session);
    add_init(app, session);
    add_migrate(app, session);
    add_version(app, session);
}

} // namespace opcat
