#include "olm_release_flags.hpp"

#include "cluster_flags.hpp"
#include "command.hpp"
#include "opcat/cluster/served_release.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

namespace opcat {

using namespace olmv1;

OlmRelease OlmReleaseFlags::read_on(const Connection& connection, const Session& session) const {
    OlmRelease named = read();
    if (given() || !connection.served.v1) return named;
    try {
        named.experimental = cluster::is_experimental(connection.kubectl);
    } catch (const cluster::KubectlError& error) {
        session.print_warning(fmt::format(
            "the feature set of OLM v1 is not known, and the standard one is assumed: {}", error.what()));
    }
    return named;
}

void add_olm_release_flags(Command command, OlmReleaseFlags& flags) {
    command.add_option("--olm-release VERSION", flags.release,
                       fmt::format("The release of OLM v1 that installs: 1.0 to 1.{} (default: 1.{})",
                                   newest_known_release, newest_known_release));
    command
        .add_option("--feature-set", flags.feature_set,
                    "The feature set of OLM v1: standard or experimental (default: the cluster's with "
                    "--from-cluster alone, else standard)")
        .one_of({"standard", "experimental"});
}

} // namespace opcat
