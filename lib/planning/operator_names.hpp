// Installed operators as people name them.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/planning/request.hpp"

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

namespace opcat::planning {

// Operators as --installed names them: NAME[@VERSION][,channel=C][,olm=v1][,namespace=N][,manual]. NAME is a
// bundle or a package of the catalogs of a minor version, each of which is looked up once.
class OperatorNames {
public:
    OperatorNames(const std::deque<PlatformCatalog>& catalogs, const MinorVersion& version, ThreadPool& pool);
    OperatorNames(const OperatorNames&) = delete; // `known_` refers to `bundles_`
    OperatorNames& operator=(const OperatorNames&) = delete;
    // Throws RequestError for a setting that is none; a name that is not known is the operator's `unknown`.
    InstalledOperator read(std::string_view text, OlmGeneration olm) const;

private:
    std::vector<KnownBundle> bundles_;
    std::optional<KnownBundles> known_;
};

} // namespace opcat::planning
