// Several catalogs with names: v4.16=REF v4.20=REF.
#pragma once

#include "catalog_options.hpp"
#include "opcat/query/tables.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

class Session;

// Each word is NAME=REF, or REF, which is then its name. Nothing if one cannot be read, which has been
// reported. Throws RequestError for two of one name.
std::optional<std::vector<query::NamedCatalog>> open_named(const std::vector<std::string>& words,
                                                           const ImageFlags& images, Session& session);

} // namespace opcat
