// The verbs of `opcat edit` that need no further input, as actions of an editor: with the same changes of the
// text, and the same proof, as the command.
#pragma once

#include "opcat/lsp/actions.hpp"

namespace opcat::lsp {

// For the object that a place names: "remove shop.v1.0.0", "promote it to channel fast". What the command
// would refuse is not among them. None while a document does not load, and for packages whose documents have
// more than some MiB.
std::vector<Action> edits_at(const CatalogAnalysis& analysis, std::string_view path, Place place,
                             Encoding encoding);

// What must change in a piece of text that is to be `after`, in whole lines.
TextEdit lines_that_change(const SourceFile& file, std::string_view after);

} // namespace opcat::lsp
