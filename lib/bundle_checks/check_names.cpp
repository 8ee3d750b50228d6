// Names in a ClusterServiceVersion that are valid each by itself, and contradict each other.
#include "opcat/base/text.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/bundle_checks/outcome_parts.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/lint/edge_names.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <vector>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

// Compares the three numbers only: the part after them often differs without meaning.
void check_version_of_name(const kube::Object& csv, Diagnostics& out) {
    const auto named = semver::Version::parse(version_part(csv.name));
    const Fields field = csv.at("spec", "version");
    const auto version = semver::Version::parse_tolerant(field.value().string_or_empty());
    if (!named || !version ||
        (named->major == version->major && named->minor == version->minor && named->patch == version->patch))
        return;
    out.push_back(with_note(warning("version-unlike-name", place_of(csv, field),
                                    fmt::format("the ClusterServiceVersion {} has spec.version {}", csv.name,
                                                field.value().string()),
                                    "correct the version, or the name"),
                            "the name is here", place_of(csv, csv, "metadata", "name")));
}

// An upgrade goes to a newer version. After the three numbers the order often means nothing.
void check_order(const kube::Object& csv, const Fields& replaced, std::string_view field, Diagnostics& out) {
    const auto own = semver::Version::parse(version_part(csv.name));
    const auto other = semver::Version::parse(version_part(replaced.value().string_or_empty()));
    if (!own || !other ||
        std::tie(other->major, other->minor, other->patch) <= std::tie(own->major, own->minor, own->patch))
        return;
    out.push_back(
        warning("csv-replaces", place_of(csv, replaced),
                fmt::format("{} {} the newer version {}", csv.name, field, replaced.value().string()),
                "name a version before it: OLM would install the older one as an upgrade"));
}

// Upgrades are from names of ClusterServiceVersions.
void check_replaced(const kube::Object& csv, const Fields& replaced, std::string_view field,
                    Diagnostics& out) {
    const std::string_view name = replaced.value().string_or_empty();
    if (name.empty()) return;
    if (name == csv.name) {
        out.push_back(error("csv-replaces", place_of(csv, replaced), fmt::format("{} {} itself", name, field),
                            field == "replaces" ? "name the version before it, or remove the field"
                                                : "remove it from the list"));
        return;
    }
    const bool is_version =
        static_cast<bool>(semver::Version::parse(name.starts_with('v') ? name.substr(1) : name));
    if (!is_version) return check_order(csv, replaced, field, out);
    const size_t version = csv.name.find(version_part(csv.name));
    const bool has_version = !version_part(csv.name).empty();
    const std::string start = has_version ? csv.name.substr(0, version) : csv.name + ".v";
    out.push_back(
        warning("csv-replaces", place_of(csv, replaced),
                fmt::format("{} {} \"{}\", which is a version, not the name of a ClusterServiceVersion",
                            csv.name, field, name),
                fmt::format("write {}{}", start,
                            name.substr(start.ends_with('v') && name.starts_with('v') ? 1 : 0))));
}

void check_install_mode_names(const kube::Object& csv, Diagnostics& out) {
    constexpr std::array<std::string_view, 4> known = {"OwnNamespace", "SingleNamespace", "MultiNamespace",
                                                       "AllNamespaces"};
    std::set<std::string_view> listed;
    for (const Fields mode : csv.items("spec", "installModes")) {
        const std::string_view type = mode.text("type");
        const Location where = place_of(csv, mode, "type");
        if (!listed.insert(type).second)
            out.push_back(warning("csv-install-mode", where,
                                  fmt::format("the install mode {} is listed twice", type),
                                  "remove one of them"));
        if (std::find(known.begin(), known.end(), type) != known.end()) continue;
        const auto near = nearest_names(type, known);
        Diagnostic finding =
            warning("csv-install-mode", where, fmt::format("there is no install mode \"{}\"", type),
                    near.empty() ? "write OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces"
                                 : did_you_mean(near));
        const std::string_view meant = misspelt(type, known);
        out.push_back(with_name(std::move(finding), where, type, meant, FixEffect::text));
    }
}

void check_accounts_of_deployments(const Source& bundle, Diagnostics& out) {
    const CsvParts parts(bundle.csv);
    const std::set<std::string_view> known = parts.accounts(bundle.objects);
    for (const Fields deployment : parts.deployments) {
        const Fields account = deployment.at("spec", "template", "spec", "serviceAccountName");
        const std::string_view name = account.value().string_or_empty();
        if (name.empty() || known.contains(name)) continue;
        const std::string_view meant = misspelt(name, std::vector(known.begin(), known.end()));
        out.push_back(warning(
            "csv-service-account", place_of(bundle.csv, account),
            fmt::format("OLM does not make the service account \"{}\", so no pods of deployment \"{}\" start "
                        "in a namespace without it",
                        name, deployment.text("name")),
            meant.empty() ? "give it an entry in spec.install.spec.permissions or clusterPermissions"
                          : fmt::format("did you mean {}?", meant)));
    }
}

} // namespace

void check_names(const Source& bundle, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    check_version_of_name(csv, out);
    check_replaced(csv, csv.at("spec", "replaces"), "replaces", out);
    for (const Fields skipped : csv.items("spec", "skips")) check_replaced(csv, skipped, "skips", out);
    check_install_mode_names(csv, out);
    check_accounts_of_deployments(bundle, out);
}

} // namespace opcat::bundle_checks
