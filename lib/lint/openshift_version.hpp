// Versions of OpenShift, as tags, folders and flags name them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

struct OpenShiftVersion {
    std::string major, minor; // decimal digits; of a tag, both may be empty

    // 4.17 or later: bundles have olm.csv.metadata, not olm.bundle.object.
    bool takes_csv_metadata() const;
    std::string to_string() const { return major + "." + minor; }
};

// "v4.18" or "4.18", and nothing else.
std::optional<OpenShiftVersion> openshift_version(std::string_view text);

// The first two parts of a tag between its dots, which validate-fbc takes for the version: "v4.18.3-1" is
// 4.18, and "4" is 4.4. Nothing if one of them has other characters than digits: the task then has no version
// to check for.
std::optional<OpenShiftVersion> openshift_version_of_tag(std::string_view tag);

} // namespace opcat
