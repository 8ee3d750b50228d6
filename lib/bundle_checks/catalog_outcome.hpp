// What the catalog says about a bundle, in the prediction of what OLM does with it; and that prediction as a
// document.
#pragma once

#include "opcat/bundle_checks/outcome.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/olm/package_graph.hpp"

#include <string>

namespace opcat {

// `rendered`: the bundle as opm renders it (load_bundle_directory), or why it does not. Adds the problems
// that OLM meets before it reads the manifests, and what only the cluster's catalogs decide. OLM v1 does not
// come to the manifests of a bundle with dependencies; those by required definitions are in the catalog only
// if opm rendered it.
void add_catalog_outcome(const LoadedCatalog& rendered, OlmGeneration olm, BundleOutcome& outcome);

// The document of schema "opcat.bundle-predict.v1" (docs/json-output.md), and lines for people, in which
// control characters are escaped.
std::string outcome_as_json(const BundleOutcome& outcome);
std::string outcome_as_text(const BundleOutcome& outcome, OlmGeneration generation);

} // namespace opcat
