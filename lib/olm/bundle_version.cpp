#include "olm/bundle_version.hpp"

#include "base/go_quote.hpp"
#include "catalog/field_reader.hpp"
#include "document/go_keys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace opcat {
namespace {

std::string_view go_name(Value::Kind kind) {
    switch (kind) {
    case Value::Kind::boolean:
        return "bool";
    case Value::Kind::string:
        return "string";
    case Value::Kind::array:
        return "array";
    case Value::Kind::object:
        return "object";
    default:
        return "number";
    }
}

struct PackageProperty {
    std::optional<std::string_view> version, release;
};

// As Go fills a struct from an object with sorted keys: any spelling of a key counts, later ones win, null
// changes no text and takes the release away, and the first value of a wrong type is the error.
Result<PackageProperty, std::string> read(const Value& value) {
    PackageProperty property;
    if (value.is_null()) return property;
    if (!value.is_object())
        return fmt::format("json: cannot unmarshal {} into Go value of type property.Package",
                           go_name(value.kind()));
    std::vector<const Member*> members;
    for (const Member& member : value.members()) members.push_back(&member);
    std::stable_sort(members.begin(), members.end(),
                     [](const Member* a, const Member* b) { return a->key.string() < b->key.string(); });
    for (const Member* member : members) {
        for (const std::string_view field : {"packageName", "version", "release"}) {
            if (!means_field(member->key.string(), field)) continue;
            if (member->value.is_null()) {
                if (field == "release") property.release.reset();
                continue;
            }
            if (!member->value.is_string())
                return fmt::format("json: cannot unmarshal {} into Go struct field Package.{} of type string",
                                   go_name(member->value.kind()), field);
            if (field == "version") property.version = member->value.string();
            if (field == "release") property.release = member->value.string();
        }
    }
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
    const std::string_view version = fields->version.value_or("");
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
