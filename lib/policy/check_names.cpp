// Names of operators and versions of bundles: in their CSVs, their annotations and their directories.
#include "opcat/policy/static_checks.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

namespace opcat::policy {
namespace {

// Those of all bundles but the one that has `own`.
std::vector<std::string> others(const NameCounts& names, const std::string& own) {
    std::vector<std::string> all;
    for (const auto& [name, count] : names)
        if (name != own || count > 1) all.push_back(name);
    return all;
}

void check_consistency(const std::string& name, const NameCounts& names, std::string_view where_from,
                       Location where, Findings& findings) {
    if (const std::vector<std::string> other = others(names, name); other.size() == 1) {
        if (other.front() != name)
            findings.error(
                fmt::format("Operator name {} ({}) does not match the name defined in other bundles ({})",
                            where_from, name, other.front()),
                where);
        return;
    }
    std::vector<std::string> all;
    all.reserve(names.size());
    for (const auto& [one, count] : names) all.push_back(one);
    findings.warn(
        fmt::format("Operator name {} is not consistent across bundles: {}", where_from, python_repr(all)),
        where);
}

Location place_of_csv(const OperatorBundle& bundle) {
    try {
        return bundle.csv_file().start();
    } catch (const PythonError&) {
        return bundle.annotations_file().start();
    }
}

} // namespace

void check_operator_name(const OperatorBundle& bundle, Findings& findings) {
    std::string package;
    try {
        package = bundle.package();
    } catch (const PythonError&) {
        return findings.error(fmt::format("Invalid operator name in annotations.yaml for {}", bundle.text()),
                              bundle.annotations_file().start());
    }
    const Location in_annotations = bundle.annotations_file().start();
    if (package.empty())
        return findings.error("Bundle does not define the operator name in annotations.yaml", in_annotations);
    const Location in_csv = place_of_csv(bundle);
    std::string name;
    try {
        name = bundle.csv_name();
    } catch (const PythonError&) {
        return findings.error(fmt::format("Invalid operator name in CSV for {}", bundle.text()), in_csv);
    }
    const bool is_first = bundle.owner().bundles().size() == 1;
    if (!is_first) {
        check_consistency(package, bundle.owner().packages(), "from annotations.yaml", in_annotations,
                          findings);
        check_consistency(name, bundle.owner().csv_names(), "from the CSV", in_csv, findings);
    }
    const auto differ = [&](std::string message) {
        if (is_first)
            findings.error(std::move(message), in_annotations);
        else
            findings.warn(std::move(message), in_annotations);
    };
    if (package != name)
        differ(fmt::format(
            "Operator name from annotations.yaml ({}) does not match the name defined in the CSV ({})",
            package, name));
    if (package != bundle.owner().name())
        differ(fmt::format(
            "Operator name from annotations.yaml ({}) does not match the operator's directory name ({})",
            package, bundle.owner().name()));
}

void check_operator_name_unique(const Operator& owner, Findings& findings) {
    std::set<std::string> names;
    for (const OperatorBundle& bundle : owner.bundles()) names.insert(bundle.csv_name());
    if (names.size() < 2) return;
    std::vector<std::string> quoted;
    quoted.reserve(names.size());
    for (const std::string& name : names) quoted.push_back(python_repr(name));
    findings.error(fmt::format("Bundles use multiple operator names: {{{}}}", fmt::join(quoted, ", ")),
                   place_of_csv(owner.bundles().back()));
}

void check_operator_version_directory_name(const OperatorBundle& bundle, Findings& findings) {
    PythonValue version = bundle.csv().get("spec", empty_dict()).get("version", PythonValue::of(""));
    if (!version.is_true()) version = PythonValue::of("");
    if (version.text() && *version.text() == bundle.name()) return;
    findings.error(
        fmt::format(
            "Bundle directory name '{}/{}' does not match the expected operator CSV version '{}' from ./{}.",
            bundle.owner().name(), bundle.name(), version.str(), bundle.csv_file().path()),
        bundle.csv_file().at(version.offset()));
}

} // namespace opcat::policy
