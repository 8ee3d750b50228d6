#include "command.hpp"
#include "commands.hpp"
#include "terminal/session.hpp"
#include "trees.hpp"

namespace opcat {

void build_opm_tree(Command root, Session& session) {
    root.description("Operator catalogs: opcat under the name and with the behaviour of opm.");
    GlobalOptions& options = session.options;
    const Option skip_tls_verify = root.add_flag("--skip-tls-verify", options.skip_tls_verify,
                                                 "Do not verify certificates of registries");
    const Option use_http = root.add_flag("--use-http", options.use_http, "Use plain HTTP for registries");
    use_http.excludes(skip_tls_verify);
    // What the old name has come to mean in opm.
    root.add_flag("--skip-tls", options.use_http, "The same as --use-http (deprecated)")
        .excludes(skip_tls_verify)
        .excludes(use_http);
    root.add_flag("--debug", options.debug, "Accepted; there is nothing more to tell").hide();
    add_opm_alpha(root, session);
    add_render(root, session);
    add_validate(root, session);
    add_generate(root, session);
    add_init(root, session);
    add_migrate(root, session);
    add_version(root, session);
    add_completion(root, session);
    add_help(root, session);
    add_manual(root, session);
    add_opm_legacy(root, session);
}

} // namespace opcat
