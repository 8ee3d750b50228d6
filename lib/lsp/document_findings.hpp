// Findings of files beside catalogs: .opcat.yaml, selections, composites, ci.yaml, release-config.yaml.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <optional>

namespace opcat::lsp {

// Nothing for other files, which are parts of catalogs.
std::optional<Diagnostics> find_in_document(const SourceFile& file);

} // namespace opcat::lsp
