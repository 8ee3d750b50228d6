#include "opcat/bundle_checks/bundle_checks.hpp"

#include "opcat/bundle_checks/checks.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace opcat {

using namespace bundle_checks;

namespace {

struct Validator {
    std::string_view name; // as operator-sdk has it
    BundleSuite suite;     // the least that has it
    void (*check)(const Source&, const BundleCheckOptions&, Diagnostics&);
};

constexpr std::string_view removed_apis_validator = "alpha-deprecated-apis";

constexpr Validator validators[] = {
    {"csv", BundleSuite::standard,
     [](const Source& bundle, const BundleCheckOptions&, Diagnostics& out) { check_csv(bundle, out); }},
    {"crd", BundleSuite::standard,
     [](const Source& bundle, const BundleCheckOptions&, Diagnostics& out) { check_crds(bundle, out); }},
    {"bundle", BundleSuite::standard,
     [](const Source& bundle, const BundleCheckOptions&, Diagnostics& out) { check_contents(bundle, out); }},
    {"operatorhubv2", BundleSuite::operatorhub,
     [](const Source& bundle, const BundleCheckOptions&, Diagnostics& out) {
         check_presentation(bundle, out);
         // Clusters of any version install from OperatorHub.io.
         check_removed_apis(bundle, {}, out);
     }},
    {"standardcapabilities", BundleSuite::operatorhub,
     [](const Source& bundle, const BundleCheckOptions&, Diagnostics& out) {
         check_capabilities(bundle, out);
     }},
    {"standardcategories", BundleSuite::operatorhub, check_categories},
    {"object", BundleSuite::all,
     [](const Source& bundle, const BundleCheckOptions&, Diagnostics& out) { check_objects(bundle, out); }},
    {removed_apis_validator, BundleSuite::all,
     [](const Source& bundle, const BundleCheckOptions& options, Diagnostics& out) {
         check_removed_apis(bundle, options.kubernetes_version, out);
     }},
    {"good-practices", BundleSuite::all,
     [](const Source& bundle, const BundleCheckOptions&, Diagnostics& out) { check_practices(bundle, out); }},
};

// Validators overlap. Of findings that only differ in severity the most severe one stays.
void remove_repeated(Diagnostics& findings) {
    using Key = std::tuple<std::string_view, const SourceFile*, uint32_t, std::string>;
    std::map<Key, size_t> known;
    Diagnostics once;
    for (Diagnostic& finding : findings) {
        const auto [found, is_new] = known.try_emplace(
            {finding.rule, finding.where.file, finding.where.offset, finding.message}, once.size());
        if (is_new)
            once.push_back(std::move(finding));
        else
            once[found->second].severity = std::min(once[found->second].severity, finding.severity);
    }
    findings = std::move(once);
}

// A file with a mistake is ignored because of it, which needs no finding of its own.
void remove_consequences(Diagnostics& findings) {
    std::set<std::string_view> wrong;
    for (const Diagnostic& finding : findings)
        if (finding.severity == Severity::error && finding.where) wrong.insert(finding.where.file->path());
    std::erase_if(findings, [&](const Diagnostic& finding) {
        return finding.rule == "bundle-file" && finding.severity == Severity::warning && finding.where &&
               wrong.contains(finding.where.file->path());
    });
}

} // namespace

CheckedBundle check_bundle(const std::filesystem::path& directory, const std::filesystem::path& shown,
                           const BundleCheckOptions& options) {
    Format format = check_format(directory, shown);
    LoadedSource loaded = load_source(directory, shown);
    Diagnostics findings = std::move(format.findings);
    findings.append(std::move(loaded.problems));
    check_annotations(format, findings);
    if (loaded.loads) {
        const std::vector<MisspeltField> misspelt_fields = check_manifests(loaded.source, findings);
        check_names(loaded.source, findings);
        check_conversion(loaded.source, findings);
        check_example_schemas(loaded.source, findings);
        check_max_openshift(format, loaded.source, findings);
        check_ranges(format, loaded.source, findings);
        check_icon_data(loaded.source, findings);
        for (const Validator& validator : validators)
            if (validator.suite <= options.suite ||
                (validator.name == removed_apis_validator && !options.kubernetes_version.empty()))
                validator.check(loaded.source, options, findings);
        check_outcome(format, loaded.source, options, misspelt_fields, findings);
    }
    remove_consequences(findings);
    remove_repeated(findings);
    sort_by_place(findings);
    return {loaded.loads, std::move(findings), std::move(loaded.objects), std::move(loaded.remarks),
            std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
                std::move(format.memory), std::move(loaded.memory))};
}

CountedBundle count_findings_of_validators(const std::filesystem::path& directory,
                                           const BundleCheckOptions& options) {
    const LoadedSource loaded = load_source(directory, directory);
    CountedBundle counted{.loads = loaded.loads, .found = {}};
    if (!loaded.loads) return counted;
    for (const Validator& validator : validators) {
        Diagnostics findings;
        validator.check(loaded.source, options, findings);
        const auto errors = static_cast<size_t>(
            std::count_if(findings.begin(), findings.end(),
                          [](const Diagnostic& finding) { return finding.severity == Severity::error; }));
        if (!findings.empty()) counted.found.push_back({validator.name, errors, findings.size() - errors});
    }
    return counted;
}

} // namespace opcat
