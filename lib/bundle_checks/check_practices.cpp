// Recommendations to authors of operators.
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

void check_deployments(const kube::Object& csv, Diagnostics& out) {
    const Fields deployments = csv.at("spec", "install", "spec", "deployments");
    if (!deployments) {
        out.push_back(error("csv-deployments", place_of(csv, csv, "spec", "install", "spec"),
                            "the ClusterServiceVersion has no deployments",
                            "list the operator's Deployment in spec.install.spec.deployments"));
        return;
    }
    for (const Fields deployment : deployments.items())
        for (const Fields container : deployment.items("spec", "template", "spec", "containers"))
            if (!container.at("resources", "requests"))
                out.push_back(
                    warning("container-requests", place_of(csv, container, "name"),
                            fmt::format("the container {} requests no resources", container.text("name")),
                            "write resources.requests with cpu and memory"));
}

void check_descriptions(const kube::Object& csv, Diagnostics& out) {
    for (const std::string_view list : {"owned", "required"})
        for (const Fields crd : csv.items("spec", "customresourcedefinitions", list))
            if (crd.text("description").empty())
                out.push_back(warning("crd-description", place_of(csv, crd, "name"),
                                      fmt::format("{} has no description", crd.text("name")),
                                      "say in a sentence what it is for: consoles show it"));
}

void check_channel_names(const Source& bundle, Diagnostics& out) {
    constexpr std::array<std::string_view, 3> beginnings = {"candidate", "stable", "fast"};
    std::vector<std::string_view> odd;
    const auto look_at = [&](std::string_view text) {
        const std::string_view channel = trim_white_space(text);
        const bool is_usual =
            std::any_of(beginnings.begin(), beginnings.end(),
                        [&](std::string_view beginning) { return channel.starts_with(beginning); });
        if (!channel.empty() && !is_usual && std::find(odd.begin(), odd.end(), channel) == odd.end())
            odd.push_back(channel);
    };
    for (const std::string& channel : bundle.channels) look_at(channel);
    look_at(bundle.default_channel);
    if (odd.empty()) return;
    out.push_back(
        warning("bundle-channels", bundle.channels_at,
                fmt::format("the name does not say how stable the channel is: {}", fmt::join(odd, ", ")),
                "begin its name with candidate, fast or stable"));
}

// OLM installs the definitions: an operator that also installs them reverts OLM's.
void check_crd_permissions(const kube::Object& csv, Diagnostics& out) {
    for (const std::string_view list : {"permissions", "clusterPermissions"})
        for (const Fields permission : csv.items("spec", "install", "spec", list))
            for (const Fields rule : permission.items("rules")) {
                if (!has_any(rule, "apiGroups", {"apiextensions.k8s.io"}) ||
                    !has_any(rule, "resources", {"customresourcedefinitions", "*", "[*]"}) ||
                    !has_any(rule, "verbs", {"create", "patch", "*", "[*]"}))
                    continue;
                out.push_back(warning("crd-permission", place_of(csv, rule),
                                      "the operator may create CustomResourceDefinitions",
                                      "leave them to OLM: add them to the bundle, and remove the rule"));
                return;
            }
}

// ---- the version in a name

size_t end_of_digits(std::string_view text, size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

// The end of a version that begins at `at`: "1.2.3-rc.1+5". `at` itself if there is none.
size_t end_of_version(std::string_view text, size_t at) {
    size_t end = at;
    for (int number = 0; number < 3; ++number) {
        if (number > 0 && (end == text.size() || text[end++] != '.')) return at;
        const size_t begin = end;
        end = end_of_digits(text, begin);
        if (end == begin) return at;
    }
    if (end < text.size() && text[end] == '-') {
        const size_t pre = semver::end_of_identifiers(text, end + 1);
        if (pre > end + 1) end = pre;
    }
    if (end < text.size() && text[end] == '+') {
        size_t build = end + 1;
        while (build < text.size() && semver::is_identifier(text.substr(build, 1))) ++build;
        if (build > end + 1) end = build;
    }
    return end;
}

bool ends_with_version(std::string_view name) {
    for (size_t at = 0; at < name.size(); ++at)
        if (end_of_version(name, at) == name.size())
            return static_cast<bool>(semver::Version::parse(name.substr(at)));
    return false;
}

void check_version_in_name(const kube::Object& csv, Diagnostics& out) {
    const std::string_view name = csv.name;
    const Location where = place_of(csv, csv, "metadata", "name");
    if (!ends_with_version(name))
        out.push_back(warning("csv-version-in-name", where,
                              fmt::format("the name \"{}\" does not end with a version", name),
                              "name it PACKAGE.vVERSION, such as gizmo.v1.2.0"));
    const size_t first = name.find(".v");
    if (first == name.npos || name.find(".v", first + 1) != name.npos)
        out.push_back(
            warning("csv-version-in-name", where,
                    fmt::format("the name \"{}\" does not have \".v\" once, before its version", name),
                    "name it PACKAGE.vVERSION, such as gizmo.v1.2.0"));
}

} // namespace

void check_practices(const Source& bundle, Diagnostics& out) {
    check_deployments(bundle.csv, out);
    check_descriptions(bundle.csv, out);
    check_channel_names(bundle, out);
    check_crd_permissions(bundle.csv, out);
    check_version_in_name(bundle.csv, out);
}

} // namespace opcat::bundle_checks
