// release-config.yaml next to a bundle, as the public operator repositories have it: which templates a
// release goes into, with which edges.
#pragma once

#include "opcat/edit/edit.hpp"
#include "opcat/lint/catalog_settings.hpp"
#include "opcat/template/kind.hpp"

#include <filesystem>
#include <span>
#include <vector>

namespace opcat::edit {

// A release in one template.
struct TemplateRelease {
    std::filesystem::path file; // OPERATOR/catalog-templates/NAME
    TemplateKind kind = TemplateKind::basic;
    AddRequest request;
};

// Reads what OPERATOR/VERSION/release-config.yaml asks for `release`, and its edges. `mapped` are the
// catalogs of OPERATOR/ci.yaml (read_catalog_mapping). Throws RequestError for a directory without that file,
// for a template that is not mapped, and for fields of the wrong type.
std::vector<TemplateRelease> read_release_config(const std::filesystem::path& version_directory,
                                                 const Release& release,
                                                 std::span<const CatalogSetting> mapped);

} // namespace opcat::edit
