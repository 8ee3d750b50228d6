// Versions of the bundles of a package: what their blobs say, and where there is no blob, as in a template,
// what their names say.
#pragma once

#include "opcat/edit/catalog_text.hpp"
#include "opcat/semver/version.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::edit {

class BundleVersions {
public:
    // Linear in the catalog's blobs.
    BundleVersions(const CatalogText& catalog, std::string_view package);

    // Of a bundle that is to be added.
    void add(const std::string& name, const std::string& version) { known_.emplace(name, version); }

    // As the blob or the name has it ("1.2.0"); empty: neither has one.
    std::string_view text_of(std::string_view name) const;
    // Nothing: there is none, or it is not a version.
    std::optional<semver::Version> of(std::string_view name) const;

private:
    std::map<std::string, std::string, std::less<>> known_; // by name
};

} // namespace opcat::edit
