// check_api_version_constraints: whether all OpenShift versions that a bundle is for have its minKubeVersion.
#include "opcat/policy/python_versions.hpp"
#include "opcat/policy/static_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace opcat::policy {
namespace {

// The official table ends here: for newer versions nothing can conflict.
constexpr std::array<std::pair<uint64_t, uint64_t>, 17> minors{{{1, 13},
                                                                {2, 14},
                                                                {3, 16},
                                                                {4, 17},
                                                                {5, 18},
                                                                {6, 19},
                                                                {7, 20},
                                                                {8, 21},
                                                                {9, 22},
                                                                {10, 23},
                                                                {11, 24},
                                                                {12, 25},
                                                                {13, 26},
                                                                {14, 27},
                                                                {15, 28},
                                                                {16, 29},
                                                                {17, 30}}};

PythonVersion parse_kubernetes(std::string_view text) {
    return semver_version(python_strip(text), true).truncated();
}

PythonVersion parse_openshift(std::string_view text) {
    std::string_view bare = python_strip(text);
    if (bare.starts_with('v')) bare.remove_prefix(1);
    PythonVersion version = parse_kubernetes(bare);
    version.patch = 0;
    return version;
}

// The places in the table that a selector names, such as "v4.10-v4.12", "=v4.12" or "v4.12".
std::vector<size_t> selected(std::string_view selector, Location where, Findings& findings) {
    const auto rows = [](auto holds) {
        std::vector<size_t> all;
        for (size_t i = 0; i < minors.size(); ++i)
            if (holds(PythonVersion{4, minors[i].first})) all.push_back(i);
        return all;
    };
    if (const size_t dash = selector.find('-'); dash != std::string_view::npos) {
        const PythonVersion low = parse_openshift(selector.substr(0, dash));
        const PythonVersion high = parse_openshift(selector.substr(dash + 1));
        if (high.before(low))
            findings.passed_by_mistake(
                fmt::format("the range {} of OpenShift versions is upside down and selects none, "
                            "so nothing conflicts with minKubeVersion",
                            selector),
                where);
        return rows([&](const PythonVersion& one) { return !one.before(low) && !high.before(one); });
    }
    if (selector.find(',') != std::string_view::npos) {
        std::vector<PythonVersion> versions;
        for (std::string_view rest = selector;;) {
            const size_t comma = rest.find(',');
            versions.push_back(parse_openshift(rest.substr(0, comma)));
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
        std::sort(versions.begin(), versions.end(),
                  [](const PythonVersion& a, const PythonVersion& b) { return a.before(b); });
        versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
        if (versions != std::vector<PythonVersion>{{4, 5}, {4, 6}})
            findings.warn(
                "Comma separated list of versions in com.redhat.openshift.versions is only supported for "
                "v4.5 and v4.6",
                where);
        return rows([&](const PythonVersion& one) { return !one.before(versions.front()); });
    }
    if (!selector.starts_with('=')) {
        const PythonVersion low = parse_openshift(selector);
        return rows([&](const PythonVersion& one) { return !one.before(low); });
    }
    selector.remove_prefix(1);
    const PythonVersion exact = parse_openshift(selector);
    const std::vector<size_t> lower = rows([&](const PythonVersion& one) { return !exact.before(one); });
    return {lower.empty() ? 0 : lower.back()}; // the nearest one of the table
}

} // namespace

void check_api_version_constraints(const OperatorBundle& bundle, Findings& findings) {
    const PythonValue openshift = bundle.annotations().get(openshift_annotation);
    const PythonValue minimum = bundle.csv().get("spec", empty_dict()).get("minKubeVersion");
    if (!minimum.is_true()) return;
    const Location in_csv = bundle.csv_file().at(minimum.offset());
    PythonVersion least;
    try {
        least = parse_kubernetes(minimum.text_for("strip"));
    } catch (const PythonError& error) {
        if (!error.is_value_error()) throw;
        return findings.error("Invalid minKubeVersion: " + error.message(), in_csv);
    }
    const std::string shown = fmt::format("{}.{}.{}", least.major, least.minor, least.patch);
    if (!openshift.is_true())
        return findings.error(
            fmt::format("minKubeVersion is set to {} but com.redhat.openshift.versions is not set", shown),
            in_csv);
    const Location in_annotations = bundle.annotations_file().at(openshift.offset());
    std::string conflicts;
    try {
        const std::string_view selector = python_strip(openshift.text_for("strip"));
        const std::vector<size_t> rows = selected(selector, in_annotations, findings);
        if (rows.empty() && selector.find('-') == std::string_view::npos)
            findings.passed_by_mistake(
                fmt::format("the official table ends with OpenShift 4.{}, so minKubeVersion is "
                            "not compared with {}",
                            minors.back().first, selector),
                in_annotations);
        for (const size_t row : rows)
            if (PythonVersion{1, minors[row].second}.before(least))
                conflicts += fmt::format("{}4.{}", conflicts.empty() ? "" : ",", minors[row].first);
    } catch (const PythonError& error) {
        if (!error.is_value_error()) throw;
        return findings.error("Invalid com.redhat.openshift.versions: " + error.message(), in_annotations);
    }
    if (!conflicts.empty())
        findings.error(fmt::format("OCP version(s) {} conflict with minKubeVersion={}", conflicts, shown),
                       in_csv);
}

} // namespace opcat::policy
