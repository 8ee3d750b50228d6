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
    CLI::Option* use_http = app.add_flag("--use-http", options.use_http, "Use plain HTTP for registries");
    use_http->excludes(skip_tls_verify);
    // What the old name has come to mean in opm.
    app.add_flag("--skip-tls", options.use_http, "The same as --use-http (deprecated)")
        ->excludes(skip_tls_verify)
        ->excludes(use_http);
    app.add_flag("--debug", options.debug, "Accepted; there is nothing more to tell")->group("");
    add_opm_alpha(app, session);
    add_render(app, session);
    add_validate(app, session);
    add_generate(app, session);
    add_init(app, session);
    add_migrate(app, session);
    add_version(app, session);
    add_completion(app, session);
    add_help(app, session);
    add_manual(app, session);
    add_opm_legacy(app, session);
}

} // namespace opcat
