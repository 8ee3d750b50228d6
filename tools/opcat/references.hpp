// REFs on the command line: what they name, loaded.
#pragma once

#include "bundle/image_template.hpp"
#include "catalog/load.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Session;

struct ReferenceOptions {
    // For bundles that are rendered from directories.
    std::optional<ImageTemplate> image_template;
};

// Loads what all references name into one catalog, in their order. What is wrong in it is in the diagnostics.
// Throws Error for a reference that cannot be reached, UsageError for one that is none.
LoadedCatalog load_references(const std::vector<std::string>& references, Session& session,
                              const ReferenceOptions& options = {});

} // namespace opcat
