// The flags of `install` and `upgrade` that become fields of a ClusterExtension of OLM v1.
#pragma once

#include "command.hpp"
#include "opcat/cluster/v1_install.hpp"

#include <string>
#include <vector>

namespace opcat {

struct ExtensionFlags {
    std::vector<std::string> config; // FILE or KEY=VALUE
    std::string progress_deadline;
    std::string crd_upgrade_safety;
    std::vector<std::string> catalog_selector; // KEY=VALUE
    std::vector<std::string> labels;           // KEY=VALUE

    // For the other ways of installing. Throws RequestError if a flag is given.
    void require_none(std::string_view olm) const;
    // `watch`: of --watch-namespace; `catalog`: of --catalog, which excludes the selector. Throws
    // RequestError for values that are not valid, and Error for files that cannot be read.
    cluster::ExtensionSettings settings(const std::vector<std::string>& watch,
                                        const std::string& catalog) const;
};

void add_extension_flags(Command command, ExtensionFlags& flags);

} // namespace opcat
