// The templates that the settings of a project name and that do not exist, made of their catalogs.
#pragma once

#include "opcat/lint/catalog_settings.hpp"
#include "opcat/template/template.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat {

struct NewTemplate {
    std::filesystem::path place; // JSON if its name ends so, else YAML
    std::string text;
};

// In the order of their places; nothing is written. Nothing if there are errors in a catalog: `report` gets
// the findings about each, while the files that they refer to exist. `shown` is what messages call a path.
// Throws Error for a catalog that cannot be read, RequestError if one is empty, or if those of one template
// differ.
std::optional<std::vector<NewTemplate>>
missing_templates(std::span<const CatalogSetting> catalogs, TemplateKind kind,
                  const std::function<std::string(const std::filesystem::path&)>& shown,
                  const std::function<void(const Diagnostics&)>& report);

} // namespace opcat
