// release-config.yaml beside a bundle, and ci.yaml beside its operator, as the public operator repositories
// have them: which templates a release goes into, with which edges.
#pragma once

#include "opcat/edit/edit.hpp"
#include "opcat/template/kind.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opcat::edit {

// A release in one template.
struct TemplateRelease {
    std::filesystem::path file; // OPERATOR/catalog-templates/NAME
    TemplateKind kind = TemplateKind::basic;
    AddRequest request;
};

// What OPERATOR/VERSION/release-config.yaml asks for, for `release`, whose edges it gives. Throws
// RequestError for a directory without one, for a template that OPERATOR/ci.yaml does not map
// (fbc.catalog_mapping), and for fields of the wrong type.
std::vector<TemplateRelease> read_release_config(const std::filesystem::path& version_directory,
                                                 const Release& release);

} // namespace opcat::edit
