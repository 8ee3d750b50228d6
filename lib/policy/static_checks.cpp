#include "opcat/policy/static_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace opcat::policy {
namespace {

constexpr std::string_view from_pyxis = "it asks catalog.redhat.com";

constexpr bool of_all = false;
constexpr bool not_with_fbc = true;

void check_network_policy_presence(const OperatorBundle& bundle, Findings& findings) {
    for (const YamlFile& file : bundle.manifests()) {
        const PythonValue& manifest = file.value();
        if (!manifest.dict()) continue;
        const PythonValue kind = manifest.get("kind");
        const PythonValue version = manifest.get("apiVersion");
        if (!kind.text() || *kind.text() != "NetworkPolicy") continue;
        if (version.is_true() && !version.text_for("startswith").starts_with("networking.k8s.io/")) continue;
        if (!version.is_true()) continue;
        findings.error(
            fmt::format("Bundle contains a NetworkPolicy in {}. Network policies are not a supported "
                        "resource that Operator Lifecycle Manager(OLM) can install and manage.",
                        file.path().substr(file.path().rfind('/') + 1)),
            file.at(kind.offset()));
    }
}

void check_using_fbc(const OperatorBundle& bundle, Findings& findings) {
    const bool is_first = bundle.owner().bundles().size() == 1;
    findings.warn(
        std::string(
            "[File Based Catalog (FBC)](https://github.com/redhat-openshift-ecosystem/"
            "community-operators-prod/discussions/5031#discussion-7097441) is a new way to manage operator "
            "metadata. ") +
            (is_first ? "This operator does not use FBC and it is recommended for new operators to [start "
                        "directly with "
                        "FBC](https://redhat-openshift-ecosystem.github.io/operator-pipelines/users/"
                        "fbc_workflow/)."
                      : "This operator does not use FBC. Consider [migrating]"
                        "(https://redhat-openshift-ecosystem.github.io/operator-pipelines/users/"
                        "fbc_onboarding/) for better "
                        "maintainability."),
        bundle.owner().config_file().start());
}

void check_marketplace_annotation(const OperatorBundle& bundle, Findings& findings) {
    const PythonValue organization = bundle.owner().repository().config().get("organization");
    if (!organization.text() || *organization.text() != "redhat-marketplace") return;
    const std::string package = bundle.annotations().get(package_annotation).str();
    const PythonValue annotations =
        bundle.csv().get("metadata", empty_dict()).get("annotations", empty_dict());
    const auto require = [&](std::string_view workflow, std::string_view page, const PythonValue& value) {
        const std::string expected =
            fmt::format("https://marketplace.redhat.com/en-us/operators/{}/{}?utm_source=openshift_console",
                        package, page);
        if (value.text() && *value.text() == expected) return;
        findings.error(
            fmt::format(
                "CSV marketplace.openshift.io/{} annotation is set to '{}'. Expected value is {}. To fix "
                "this issue define the annotation in 'manifests/*.clusterserviceversion.yaml' file.",
                workflow, value.str(), expected),
            bundle.csv_file().at(value.is_none() ? annotations.offset() : value.offset()));
    };
    const PythonValue remote = annotations.get("marketplace.openshift.io/remote-workflow");
    const PythonValue support = annotations.get("marketplace.openshift.io/support-workflow");
    require("remote-workflow", "pricing", remote);
    require("support-workflow", "support", support);
}

void ask_operator_sdk(const OperatorBundle&, Findings& findings) {
    findings.not_checked(
        "the pipeline runs operator-sdk with a version of Kubernetes that it asks catalog.redhat.com "
        "for; `opcat bundle validate` has these rules");
}

// In the order in which Python lists them.
constexpr StaticCheck<Operator> of_operators[] = {
    {"check_ci_upgrade_graph", Suite::community, not_with_fbc, check_ci_upgrade_graph,
     "ci.yaml has a valid updateGraph", "",
     "write `updateGraph: replaces-mode` or `updateGraph: semver-mode` into ci.yaml"},
    {"check_operator_name_unique", Suite::community, not_with_fbc, check_operator_name_unique,
     "all bundles have one operator name in their CSVs", "",
     "give the CSV the name that the other bundles have"},
    {"check_upgrade_graph_loop", Suite::community, not_with_fbc, check_upgrade_graph_loop,
     "upgrades have no cycle", "", "remove one of the edges: replaces, skips or olm.skipRange"},
    {"check_catalog_usage_ci_config", Suite::common, of_all, check_catalog_usage_ci_config,
     "each catalog is made of one template", "", "name each catalog once in fbc.catalog_mapping"},
    {"check_schema_operator_ci_config", Suite::common, of_all, check_schema_operator_ci_config,
     "ci.yaml fits its schema", "", "correct the value as the schema says: schemas/policy/ci.json"},
};

constexpr StaticCheck<OperatorBundle> of_bundles[] = {
    {"check_api_version_constraints", Suite::community, not_with_fbc, check_api_version_constraints,
     "all OpenShift versions of the bundle have its minKubeVersion", "",
     "raise com.redhat.openshift.versions, or lower spec.minKubeVersion"},
    {"check_dangling_bundles", Suite::community, not_with_fbc, check_dangling_bundles,
     "each bundle of a channel but its head is updated from by another", "",
     "let a newer bundle name it in replaces, skips or olm.skipRange"},
    {"check_osdk_bundle_validate_operator_framework", Suite::community, of_all, ask_operator_sdk,
     "operator-sdk accepts the bundle with suite=operatorframework", from_pyxis, ""},
    {"check_osdk_bundle_validate_operatorhub", Suite::community, of_all, ask_operator_sdk,
     "operator-sdk accepts the bundle with name=operatorhub", from_pyxis, ""},
    {"check_required_fields", Suite::community, of_all, check_required_fields,
     "the CSV has what OperatorHub shows", "", "write the field into the CSV"},
    {"check_using_fbc", Suite::community, not_with_fbc, check_using_fbc,
     "the operator uses file-based catalogs", "", "set fbc.enabled in ci.yaml, and add catalogs"},
    {"check_marketplace_annotation", Suite::certified, of_all, check_marketplace_annotation,
     "bundles of redhat-marketplace have its two annotations", "", "write the expected value"},
    {"check_pruned_graph", Suite::certified, not_with_fbc, check_pruned_graph,
     "olm.skipRange does not come without replaces", "", "name the bundle that this one replaces"},
    {"check_bundle_release_config", Suite::common, of_all, check_bundle_release_config,
     "release-config.yaml fits ci.yaml", "", "name templates that fbc.catalog_mapping has"},
    {"check_network_policy_presence", Suite::common, of_all, check_network_policy_presence,
     "the bundle has no NetworkPolicy", "", "remove the NetworkPolicy from the bundle"},
    {"check_operator_name", Suite::common, of_all, check_operator_name,
     "CSV, annotations and directory have one name", "",
     "use one name in annotations.yaml, the CSV and the directory"},
    {"check_operator_version_directory_name", Suite::common, of_all, check_operator_version_directory_name,
     "the directory has the name of the CSV's spec.version", "",
     "rename the directory, or correct spec.version"},
    {"check_replaces_availability", Suite::common, not_with_fbc, check_replaces_availability,
     "the replaced bundle is there, for the same OpenShift versions", "",
     "name a bundle of this repository in spec.replaces"},
    {"check_validate_schema_bundle_release_config", Suite::common, of_all,
     check_validate_schema_bundle_release_config, "release-config.yaml fits its schema", "",
     "correct the value as the schema says: schemas/policy/release-config.json"},
};

constexpr StaticCheck<CatalogList> of_catalogs[] = {
    {"check_bundle_images_in_fbc", Suite::common, of_all, check_bundle_images_in_fbc,
     "catalogs name bundle images in allowed registries", "",
     "push the bundle to an allowed registry, and name it there"},
    {"check_olm_bundle_object_in_fbc", Suite::common, of_all, check_olm_bundle_object_in_fbc,
     "catalogs for OpenShift 4.17 and later have no olm.bundle.object", "",
     "write the catalog with `opcat migrate`"},
};

const Operator* owner_of(const Operator& owner) {
    return &owner;
}
const Operator* owner_of(const OperatorBundle& bundle) {
    return &bundle.owner();
}
const Operator* owner_of(const CatalogList&) {
    return nullptr;
}

Location place_of(const Operator& owner) {
    return owner.config_file().start();
}
Location place_of(const OperatorBundle& bundle) {
    try {
        return bundle.csv_file().start();
    } catch (const PythonError&) {
        return bundle.annotations_file().start();
    }
}
Location place_of(const CatalogList& catalogs) {
    return catalogs.empty() ? Location() : catalogs.front()->file().start();
}

template <class Target>
void run_check(const StaticCheck<Target>& check, const Target& target, StaticResults& results) {
    Findings findings(check.name, results);
    try {
        if (const Operator* const owner = owner_of(target);
            owner && check.skips_catalogs && owner->uses_catalogs())
            return;
        check.run(target, findings);
    } catch (const PythonError& error) {
        findings.error(fmt::format("Traceback: {}", error.what()), place_of(target));
    }
}

} // namespace

void Findings::error(std::string message, Location where) {
    results_.outputs.push_back({check_, Severity::error, std::move(message), where});
}

void Findings::warn(std::string message, Location where) {
    results_.outputs.push_back({check_, Severity::warning, std::move(message), where});
}

void Findings::passed_by_mistake(std::string message, Location where) {
    results_.notes.push_back({check_, Severity::note, std::move(message), where});
}

void Findings::not_checked(std::string why) {
    results_.not_checked.push_back({std::string(check_), std::move(why)});
}

std::span<const StaticCheck<Operator>> operator_checks() {
    return of_operators;
}

std::span<const StaticCheck<OperatorBundle>> bundle_checks() {
    return of_bundles;
}

std::span<const StaticCheck<CatalogList>> catalog_checks() {
    return of_catalogs;
}

StaticResults run_static_checks(const Repository& repository, const StaticRequest& request) {
    const Operator* const owner = repository.find_operator(request.operator_name);
    std::vector<const OperatorBundle*> bundles;
    for (const std::string& name : request.bundles)
        if (const OperatorBundle* const found = owner ? owner->bundle(name) : nullptr)
            bundles.push_back(found);
    std::set<std::string> names(request.catalogs.begin(), request.catalogs.end());
    CatalogList catalogs;
    for (const std::string& name : names) {
        const size_t slash = name.find('/');
        if (slash == std::string::npos) continue;
        if (const auto* const found = repository.find_catalog(name.substr(0, slash), name.substr(slash + 1)))
            catalogs.push_back(found);
    }
    StaticResults results;
    if (owner)
        for (const std::string& folder : owner->half_bundles())
            results.notes.push_back({static_tests_task,
                                     Severity::note,
                                     fmt::format("{} is not tested, because a bundle has both manifests/ and "
                                                 "metadata/",
                                                 folder),
                                     {}});
    const auto run_all = [&](auto checks, Suite suite, const auto& target) {
        for (const auto& check : checks)
            if (check.suite == suite &&
                std::find(request.waived.begin(), request.waived.end(), check.name) == request.waived.end())
                run_check(check, target, results);
    };
    for (const Suite suite : {request.suite, Suite::common}) {
        if (owner) run_all(operator_checks(), suite, *owner);
        for (const OperatorBundle* const bundle : bundles) run_all(bundle_checks(), suite, *bundle);
        run_all(catalog_checks(), suite, catalogs);
    }
    return results;
}

} // namespace opcat::policy
