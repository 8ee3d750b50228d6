// The kinds of templates.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opcat {

enum class TemplateKind : uint8_t {
    basic,       // a catalog in which bundles are images only
    semver,      // channels and upgrade graph from the versions of bundles
    substitutes, // a catalog with substitutes for bundles
};

// By its name ("semver") or its schema ("olm.semver").
std::optional<TemplateKind> find_template_kind(std::string_view name);
std::string_view name_of(TemplateKind kind);
std::string_view schema_of(TemplateKind kind);

} // namespace opcat
