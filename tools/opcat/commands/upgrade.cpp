#include "upgrade.hpp"

#include "base/error.hpp"
#include "command.hpp"
#include "terminal/session.hpp"
#include "which_olm.hpp"

namespace opcat {

using namespace cluster;

void add_upgrade(Command tree, Session& session) {
    const Command command = tree.add_command("upgrade", "Upgrade an operator");
    const auto options = std::make_shared<UpgradeOptions>();
    command.add_option("PACKAGE", options->package, "The operator's package").required();
    command.add_option("--to", options->to,
                       "The version to end at, or its bundle's name; with OLM v1 a range of versions");
    command.add_option("--channel", options->channels, "Go to this channel; several only with OLM v1");
    command.add_flag("--self-certified", options->self_certified,
                     "OLM v1: allow any version, whatever the catalog's upgrade edges say");
    add_cluster_flags(command, options->cluster);
    add_flow_flags(command, options->flow);
    add_image_flags(command, options->images);
    command.add_flag("--force", options->flow.force, "Go on although it is predicted to fail");
    command.footer("With OLM classic, upgrades that wait for approval are approved: with --to one after the "
                   "other up to that "
                   "version,\nelse the one that waits. There is no way back to a lower version.\n\n"
                   "Examples:\n"
                   "  opcat upgrade prometheus -n monitoring --to 0.56.3\n"
                   "  opcat upgrade prometheus -n monitoring --channel stable --dry-run\n"
                   "  opcat upgrade argocd-operator --olm v1 --to '>=0.9.0 <0.10.0'");
    command.callback([options, &session] {
        const Connection connection = connect(options->cluster);
        switch (olm_of_installed(connection, options->cluster, options->package)) {
        case Olm::classic:
            return upgrade_classic(*options, connection, session);
        case Olm::v1:
            return upgrade_v1(*options, connection, session);
        case Olm::none:
            throw UsageError("without OLM there are no upgrades",
                             "opcat install --olm none of the new bundle changes what is there");
        }
    });
}

} // namespace opcat
