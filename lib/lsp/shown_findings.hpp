// The findings that an editor shows in a file.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lsp/protocol.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace opcat::lsp {

// Those of a file next to catalogs that says something about them, such as .opcat.yaml; nothing for others.
std::optional<Diagnostics> find_in_document(const SourceFile& file);

// As a client gets them: at most `most`, and then one that counts the others.
Json shown_findings(const std::vector<const Diagnostic*>& findings, size_t most, const PlaceOf& place_of,
                    const DiagnosticForm& form);

} // namespace opcat::lsp
