// The catalogs of a project: `catalogs:` of .opcat.yaml (docs/configuration.md), or the mapping of a ci.yaml.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/layout.hpp"
#include "opcat/document/value.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opcat {

// One catalog of one version of OpenShift. Paths are absolute.
struct CatalogSetting {
    std::filesystem::path template_file; // empty: the catalog is written by hand
    std::filesystem::path catalog;       // a file or a directory
    std::string openshift;               // "4.17"; empty: it is for no particular version
    Layout layout = Layout::package;     // of a directory
    std::string origin;                  // "FILE:LINE:COLUMN"
    std::string template_type = {};      // as ci.yaml writes it; empty: not said

    // By its name, which need not exist yet.
    bool is_file() const;
    // From OpenShift 4.17 on, bundles have olm.csv.metadata in place of their manifests.
    bool takes_csv_metadata() const;
    // Returns the file that people change: the template, or a catalog that has none.
    const std::filesystem::path& edited() const { return template_file.empty() ? catalog : template_file; }
};

// Reads the list of a configuration file in `directory`, to which paths are relative and which they may not
// leave, also by links. Mistakes are added to the diagnostics.
std::vector<CatalogSetting> read_catalog_settings(const SourceFile& file, const Value& list,
                                                  const std::filesystem::path& directory,
                                                  Diagnostics& diagnostics);

// The same of the ci.yaml of an operator, as the public operator repositories have it (fbc.catalog_mapping):
// OPERATOR/catalog-templates/NAME becomes catalogs/CATALOG/OPERATOR/catalog.yaml of the repository. None if
// the file does not have such a mapping. `directory` is the file's.
std::vector<CatalogSetting> read_catalog_mapping(const SourceFile& file,
                                                 const std::filesystem::path& directory,
                                                 Diagnostics& diagnostics);

// The version of OpenShift that a file or directory is for, as the catalogs say that it belongs to. Empty:
// unknown.
std::string openshift_version_for(const std::filesystem::path& path,
                                  const std::vector<CatalogSetting>& catalogs);

} // namespace opcat
