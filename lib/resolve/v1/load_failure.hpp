// Why OLM cannot read a catalog, in the words that its users search for.
#pragma once

#include "document/stream.hpp"
#include "support/diagnostic.hpp"

#include <string>

namespace opcat::olmv1 {

// The error of operator-registry's loader about a catalog that `load_catalog` has findings for; the findings
// say the same better, but not in OLM's words. Of several errors the first in the catalog's order; the words
// of syntax errors are ours.
std::string load_failure(const Diagnostics& findings);

// The same about one document; empty if OLM accepts it.
std::string document_failure(const Value& document, Notation notation);

} // namespace opcat::olmv1
