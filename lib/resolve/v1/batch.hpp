// Questions to OLM v1 and their answers as JSON (docs/resolve-batch.md).
#pragma once

#include "opcat/resolve/v1/resolver.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace opcat::olmv1 {

struct BatchCatalog {
    NamedCatalog catalog; // its index is for the caller to set
    std::string reference;
};

struct BatchQuestion {
    Request request;
    std::string installed; // in the user's form, to be read with the loaded catalogs; empty: nothing
    std::vector<BatchCatalog> catalogs;
    std::optional<size_t> candidates; // how many of each catalog to report
};

// Throws RequestError for what is not a question.
BatchQuestion read_batch_question(const nlohmann::ordered_json& value);

// Throws RequestError for a malformed installed bundle.
nlohmann::ordered_json answer_to(BatchQuestion& question);

} // namespace opcat::olmv1
