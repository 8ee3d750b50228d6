#include "olm/bundle_version.hpp"

#include "base/go_quote.hpp"
#include "go/decode.hpp"
#include "go/fields.hpp"

#include <algorithm>
#include <optional>

namespace opcat {
namespace {

struct PackageProperty {
    std::string_view version;
    std::optional<std::string_view> release;
};

Result<PackageProperty, std::string> read(const Value& value) {
    if (std::string error = go::decode_error(value, go::type_named("property.Package"), go::Route::map);
        !error.empty())
        return error;
    PackageProperty property{field_text(value, "version"), std::nullopt};
    if (const Value* const release = find_pointer_field(value, "release"))
        property.release = release->string();
    return property;
}

const Property* package_property(const Bundle& bundle) {
    const auto found = std::find_if(bundle.properties.begin(), bundle.properties.end(),
                                    [](const Property& p) { return p.type == property_type::package; });
    return found == bundle.properties.end() ? nullptr : &*found;
}

} // namespace

BundleVersion version_of(const Bundle& bundle, bool release_support) {
    const Property* const property = package_property(bundle);
    if (!property) return "no package property found in bundle " + go_quote(bundle.name);
    if (!property->value)
        return std::string("error unmarshalling package property: unexpected end of JSON input");
    const auto fields = read(*property->value);
    if (!fields) return "error unmarshalling package property: " + fields.error();
    const std::string_view version = fields->version;
    auto parsed = release_support && fields->release
                      ? semver::VersionRelease::parse(version, *fields->release)
                      : semver::VersionRelease::parse_legacy(version);
    if (!parsed) return parsed.error().message;
    return *std::move(parsed);
}

bool has_release_field(const Bundle& bundle) {
    const Property* const property = package_property(bundle);
    if (!property || !property->value) return false;
    const auto fields = read(*property->value);
    return fields && fields->release;
}

std::string shown(const semver::VersionRelease& version, bool release_support) {
    return release_support ? version.version.to_string() : version.to_legacy_string();
}

} // namespace opcat
