// Checks the catalogs of a repository.
#include "opcat/lint/openshift_version.hpp"
#include "opcat/policy/static_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat::policy {
namespace {

bool is_bundle_schema(const PythonValue& schema) {
    return schema.text() && *schema.text() == "olm.bundle";
}

bool uses_bundle_objects(const PythonValue& bundle) {
    const PythonList properties = bundle.get("properties", empty_list()).each();
    std::vector<PythonValue> types;
    for (const PythonValue& property : properties) types.push_back(property.get("type"));
    return std::any_of(types.begin(), types.end(), [](const PythonValue& type) {
        return type.text() && *type.text() == "olm.bundle.object";
    });
}

// "v4.17" and later; other names are not versions.
bool is_4_17_or_later(const std::string& catalog) {
    const auto version = openshift_version(catalog);
    return catalog.starts_with('v') && version && version->takes_csv_metadata();
}

} // namespace

void check_bundle_images_in_fbc(const CatalogList& catalogs, Findings& findings) {
    if (catalogs.empty()) return;
    const Repository& repository = catalogs.front()->file().repository();
    const PythonValue allowed = repository.config().get("allowed_bundle_registries", empty_list());
    if (!allowed.is_true()) return;
    for (const OperatorCatalog* const catalog : catalogs) {
        std::vector<std::string> invalid;
        Location first;
        for (const PythonValue& blob : catalog->file().documents()) {
            if (!blob.dict() || !is_bundle_schema(blob.get("schema"))) continue;
            const PythonValue image = blob.get("image");
            if (!image.is_true()) continue;
            bool is_allowed = false;
            for (const PythonValue& registry : allowed.each()) {
                const std::string& text = image.text_for("startswith");
                if (!registry.text())
                    throw PythonError(
                        "TypeError", fmt::format("startswith first arg must be str or a tuple of str, not {}",
                                                 registry.type_name()));
                if (!text.starts_with(*registry.text())) continue;
                is_allowed = true;
                const bool whole = registry.text()->find('/') != std::string::npos ||
                                   text.size() == registry.text()->size() ||
                                   text[registry.text()->size()] == '/';
                if (!whole)
                    findings.passed_by_mistake(fmt::format("image {} is admitted because it begins with {}, "
                                                           "which is not the whole name of its "
                                                           "registry",
                                                           text, *registry.text()),
                                               catalog->file().at(image.offset()));
                break;
            }
            if (is_allowed) continue;
            if (invalid.empty()) first = catalog->file().at(image.offset());
            invalid.push_back(image.str());
        }
        if (invalid.empty()) continue;
        std::vector<std::string> names;
        for (const PythonValue& registry : allowed.each()) names.push_back(registry.str());
        findings.error(
            fmt::format(
                "Invalid bundle image(s) found in {}: {}. Only these registries are allowed for bundle "
                "images: {}.",
                catalog->text(), fmt::join(invalid, ", "), fmt::join(names, ", ")),
            first);
    }
}

void check_olm_bundle_object_in_fbc(const CatalogList& catalogs, Findings& findings) {
    for (const OperatorCatalog* const catalog : catalogs) {
        if (!is_4_17_or_later(catalog->catalog())) continue;
        PythonList bundles;
        for (const PythonValue& blob : catalog->file().documents())
            if (is_bundle_schema(blob.get("schema"))) bundles.push_back(blob);
        if (bundles.empty()) continue;
        // The official loop ends after the first bundle.
        if (uses_bundle_objects(bundles.front())) {
            findings.error(
                fmt::format(
                    "Bundle object found in {} catalog uses 'olm.bundle.object'. This is not allowed for "
                    "catalogs "
                    "with version `>= 4.17`. Render catalog again with latest "
                    "[Makefile](https://redhat-openshift-ecosystem.github.io/operator-pipelines/users/"
                    "fbc_workflow/#generate-catalogs-using-templates) using `make catalogs`. Bundle object "
                    "is not "
                    "supported in FBC.",
                    catalog->text()),
                catalog->file().at(bundles.front().offset()));
            continue;
        }
        for (size_t i = 1; i < bundles.size(); ++i) {
            try {
                if (!uses_bundle_objects(bundles[i])) continue;
            } catch (const PythonError&) {
                continue;
            }
            findings.passed_by_mistake(
                "a bundle uses olm.bundle.object, and the official check reads only the first one",
                catalog->file().at(bundles[i].offset()));
            break;
        }
    }
}

} // namespace opcat::policy
