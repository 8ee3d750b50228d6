// Which OLM a command works with, where a cluster may have both.
#pragma once

#include "cluster_flags.hpp"

#include <string>

namespace opcat {

// The one that is asked for, or the only one that is there, or the one that has the package installed (OLM
// classic: in the connection's namespace). Throws UsageError, with what is known, when that leaves it open.
cluster::Olm olm_for_install(const Connection& connection, const ClusterFlags& flags,
                             const std::string& package);
// The same for a package that must be installed.
cluster::Olm olm_of_installed(const Connection& connection, const ClusterFlags& flags,
                              const std::string& package);

} // namespace opcat
