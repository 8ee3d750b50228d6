// Which OLM a command works with, where a cluster may have both.
#pragma once

#include "cluster_flags.hpp"

#include <optional>
#include <string>

namespace opcat {

// The wanted one, or the only one that there is. Throws UsageError if there are both and none is wanted, and
// Error if what is wanted, or any at all, is missing.
cluster::Olm choose(const cluster::Served& served, std::optional<cluster::Olm> wanted);

// Without the other OLM, if one is wanted. Throws Error if that is missing.
cluster::Served narrowed(cluster::Served served, std::optional<cluster::Olm> wanted);

// The one that is asked for, or the only one that is there, or the one that has the package installed (OLM
// classic: in the connection's namespace). Throws UsageError, with what is known, when that leaves it open.
cluster::Olm olm_for_install(const Connection& connection, const ClusterFlags& flags,
                             const std::string& package);
// The same for a package that must be installed.
cluster::Olm olm_of_installed(const Connection& connection, const ClusterFlags& flags,
                              const std::string& package);

} // namespace opcat
