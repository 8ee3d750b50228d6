// What a catalog says about things that are going away, as it concerns one request.
#pragma once

#include "resolve/v1/resolver.hpp"

#include <map>
#include <optional>
#include <string_view>

namespace opcat::olmv1 {

struct DeprecationNotice {
    std::string_view catalog; // that says so; with priorities it may be another than the bundle's
    size_t entries = 0;       // of all of the package
    std::optional<std::string_view> package;
    std::map<std::string_view, std::string_view> channels; // those requested, or all if none is
    std::optional<std::string_view> bundle;                // the chosen one
    std::optional<std::string_view> installed;             // the installed one

    bool says_something() const { return package || !channels.empty() || bundle || installed; }
};

// Nothing if the catalog has no olm.deprecations blob for the package. Refers to the choice's catalog. Of
// several entries about one thing the last counts.
std::optional<DeprecationNotice> deprecation_notice(const Request& request, const Choice& choice);

} // namespace opcat::olmv1
