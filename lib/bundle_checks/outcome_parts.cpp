#include "opcat/bundle_checks/outcome_parts.hpp"

#include "opcat/base/error.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/bundle_checks/source.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/go/encode.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat {

namespace bundle_checks {

using kube::Fields;

CsvParts::CsvParts(const kube::Object& csv) {
    deployments = csv.items("spec", "install", "spec", "deployments");
    permissions = csv.items("spec", "install", "spec", "permissions");
    cluster_permissions = csv.items("spec", "install", "spec", "clusterPermissions");
    webhooks = csv.items("spec", "webhookdefinitions");
    owned_crds = csv.items("spec", "customresourcedefinitions", "owned");
    required_crds = csv.items("spec", "customresourcedefinitions", "required");
    for (const Fields deployment : deployments) deployment_names.insert(deployment.text("name"));
    for (const Fields mode : csv.items("spec", "installModes"))
        if (mode.flag("supported")) supported_modes.insert(mode.text("type"));
}

std::set<std::string_view> CsvParts::accounts(std::span<const kube::Object> objects) const {
    std::set<std::string_view> known{"default"};
    for (const auto list : {permissions, cluster_permissions})
        for (const Fields permission : list) known.insert(permission.text("serviceAccountName"));
    for (const kube::Object& object : objects)
        if (object.kind() == "ServiceAccount") known.insert(object.name);
    return known;
}

std::string crd_refusal(const kube::Object& crd, Location& where) {
    Diagnostics findings;
    check_crd(crd, findings);
    std::string reasons;
    for (const Diagnostic& finding : findings) {
        if (reasons.empty()) where = finding.where;
        reasons += (reasons.empty() ? "" : ", ") + finding.message;
    }
    const auto refusals = admission::schema_refusals(crd);
    const std::string kind = "CustomResourceDefinition.apiextensions.k8s.io";
    if (findings.empty()) {
        where = first_place(crd, refusals);
        return refusals.empty() ? std::string() : admission::invalid_message(kind, crd.name, refusals);
    }
    for (const admission::Refusal& refusal : refusals) reasons += ", " + refusal.to_string();
    return fmt::format("{} \"{}\" is invalid: {}", kind, crd.name, reasons);
}

Location first_place(const kube::Object& object, const std::vector<admission::Refusal>& refusals) {
    if (refusals.empty() || !object.file) return object.where();
    return {object.file, refusals.front().offset, 1};
}

std::optional<go::Misfit> misfit_of_csv(const BundleManifests& bundle, go::Route route) {
    return go::find_misfit(bundle.written_csv.value(), go::type_named("ClusterServiceVersion"), route);
}

const kube::Object* find_crd(const BundleManifests& bundle, std::string_view name) {
    const auto found = std::find_if(bundle.crds.begin(), bundle.crds.end(),
                                    [&](const kube::Object& crd) { return crd.name == name; });
    return found == bundle.crds.end() ? nullptr : &*found;
}

BundleManifests manifests_of(const Source& bundle) {
    BundleManifests manifests{.csv = bundle.csv,
                              .crds = bundle.crds,
                              .others = {},
                              .package = bundle.as_v1_reads.package,
                              .unreadable = bundle.as_v1_reads.refusal,
                              .unreadable_at = bundle.as_v1_reads.where,
                              .folder = bundle.folder_in_manifests};
    for (const kube::Object& object : bundle.objects)
        if (object.kind() == "ClusterServiceVersion")
            manifests.written_csv = object;
        else if (object.kind() != "CustomResourceDefinition")
            manifests.others.push_back(object);
    manifests.further = bundle.further;
    return manifests;
}

} // namespace bundle_checks

std::string object_key(std::string_view kind, std::string_view name) {
    return fmt::format("{} {}", kind, name);
}

BundleManifests manifests_in(const Bundle& bundle) {
    BundleManifests manifests;
    if (const auto package = package_property(bundle)) manifests.package = package->package;
    const std::string what = fmt::format("a manifest of {}", bundle.name.text);
    for (const Property& property : bundle.properties) {
        const auto decoded = bundle_object_in(property);
        if (!decoded) continue;
        if (!decoded->problem.empty()) throw Error(fmt::format("cannot read {}: {}", what, decoded->problem));
        // OLM reads a ClusterServiceVersion as a Go struct, whose fields are known in any letter case.
        const Value value =
            decoded->is_csv() ? go::with_field_names(decoded->value, go::type_named("ClusterServiceVersion"),
                                                     decoded->route(), *decoded->arena)
                              : decoded->value;
        kube::Object object = kube::parse_object(kube::to_text(value), what);
        if (!object.value().is_object()) continue;
        const std::string_view kind = object.kind();
        if (kind == "ClusterServiceVersion") {
            manifests.csv = std::move(object);
            manifests.written_csv = kube::parse_object(kube::to_text(decoded->value), what);
        } else if (kind == "CustomResourceDefinition") {
            manifests.crds.push_back(std::move(object));
        } else {
            manifests.others.push_back(std::move(object));
        }
    }
    for (const Value& further : bundle.further_manifests)
        if (further.is_object())
            manifests.further.push_back(kube::parse_object(kube::to_text(further), what));
    return manifests;
}

ReadBundle read_manifests(const std::filesystem::path& directory, const std::filesystem::path& shown) {
    bundle_checks::LoadedSource loaded = bundle_checks::load_source(directory, shown);
    ReadBundle read{.manifests = {}, .problems = {}, .memory = std::move(loaded.memory)};
    if (loaded.loads)
        read.manifests = bundle_checks::manifests_of(loaded.source);
    else
        read.problems = std::move(loaded.problems);
    return read;
}

std::string unmet_min_kube_version(const std::string& csv, const std::string& min_kube_version,
                                   const std::string& server_version, const char* consequence) {
    if (min_kube_version.empty()) return {};
    const auto parse = [](std::string_view text) {
        if (text.starts_with('v')) text.remove_prefix(1);
        return semver::Version::parse(std::string(text));
    };
    const auto needed = parse(min_kube_version);
    if (!needed)
        return fmt::format("{} has minKubeVersion {}, which is not a version (write 1.25.0, for example): {}",
                           csv, min_kube_version, consequence);
    const auto server = parse(server_version.substr(0, server_version.find_first_of("-+")));
    if (!server || !(*server < *needed)) return {};
    return fmt::format("{} needs Kubernetes {} (minKubeVersion), and the cluster has {}: {}", csv,
                       min_kube_version, server_version, consequence);
}

} // namespace opcat
