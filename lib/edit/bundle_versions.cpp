#include "opcat/edit/bundle_versions.hpp"

#include "opcat/catalog/catalog.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/go/fields.hpp"

namespace opcat::edit {
namespace {

// The version of its property olm.package.
std::string_view version_in(const BlobText& bundle) {
    for (const Value& property : items_of(find_field(bundle.value, "properties"))) {
        if (!property.is_object() || field_text(property, "type") != property_type::package) continue;
        const Value* const value = find_field(property, "value");
        if (value && value->is_object()) return field_text(*value, "version");
    }
    return {};
}

} // namespace

BundleVersions::BundleVersions(const CatalogText& catalog, std::string_view package) {
    if (catalog.has_only_images()) return;
    for (const BlobText& bundle : catalog.blobs(schema::bundle))
        if (bundle.package() == package)
            if (const std::string_view version = version_in(bundle); !version.empty())
                known_.emplace(bundle.name(), version);
}

std::string_view BundleVersions::text_of(std::string_view name) const {
    const auto known = known_.find(name);
    return known == known_.end() ? version_in_name(name) : std::string_view(known->second);
}

std::optional<semver::Version> BundleVersions::of(std::string_view name) const {
    const std::string_view text = text_of(name);
    const auto version = semver::Version::parse_tolerant(text);
    if (text.empty() || !version) return std::nullopt;
    return *version;
}

} // namespace opcat::edit
