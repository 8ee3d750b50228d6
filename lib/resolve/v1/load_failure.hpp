// Why OLM cannot read a catalog, in the words that its users search for.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <string>

namespace opcat::olmv1 {

// The error of operator-registry's loader about a catalog for which `load_catalog` has findings, which say
// the same more clearly, but not in OLM's words. Of several errors the first in the catalog's order; the text
// of syntax errors is ours.
std::string load_failure(const Diagnostics& findings);

} // namespace opcat::olmv1
