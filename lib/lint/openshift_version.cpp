#include "opcat/lint/openshift_version.hpp"

#include "opcat/base/text.hpp"
#include "opcat/semver/version.hpp"

#include <cstdlib>

namespace opcat {
namespace {

// A number that a long does not hold is the largest one.
long number(const std::string& digits) {
    return std::strtol(digits.c_str(), nullptr, 10);
}

bool is_number(std::string_view text) {
    return !text.empty() && semver::is_all_digits(text);
}

} // namespace

bool OpenShiftVersion::takes_csv_metadata() const {
    return number(major) > 4 || (number(major) == 4 && number(minor) >= 17);
}

std::optional<OpenShiftVersion> openshift_version(std::string_view text) {
    if (text.starts_with('v')) text.remove_prefix(1);
    const size_t dot = text.find('.');
    if (dot == std::string_view::npos || !is_number(text.substr(0, dot)) || !is_number(text.substr(dot + 1)))
        return std::nullopt;
    return OpenShiftVersion{std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

std::optional<OpenShiftVersion> openshift_version_of_tag(std::string_view tag) {
    const size_t dot = tag.find('.');
    std::string_view major = tag.substr(0, dot);
    std::string_view minor = dot == std::string_view::npos ? tag : tag.substr(dot + 1);
    minor = minor.substr(0, minor.find('.'));
    while (!major.empty() && ascii_lower(major[0]) >= 'a' && ascii_lower(major[0]) <= 'z')
        major.remove_prefix(1);
    if (!semver::is_all_digits(major) || !semver::is_all_digits(minor)) return std::nullopt;
    return OpenShiftVersion{std::string(major), std::string(minor)};
}

} // namespace opcat
