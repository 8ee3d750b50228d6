// Findings about a bundle's olm.maxOpenShiftVersion that catalogs and bundle directories share.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"
#include "opcat/resolve/v1/max_openshift.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

constexpr std::string_view max_openshift_help =
    "write it once, as a string with a major and a minor version: \"4.18\"";

// A value that is a number, in `file` as it was written: the last digit of 4.20 is gone in a number, so it
// allows OpenShift 4.2 and blocks every upgrade. `max` is how OLM reads it.
std::optional<Diagnostic> check_max_openshift_number(const SourceFile& file, const Value& value,
                                                     const olmv1::MinorVersion& max);

// No version of OpenShift has the Kubernetes that a bundle needs and is one that it supports.
std::optional<Diagnostic> check_platform_range(std::string_view bundle,
                                               const std::optional<olmv1::MinorVersion>& least_kubernetes,
                                               const std::optional<olmv1::MinorVersion>& most_openshift,
                                               Location where);

} // namespace opcat
