// ci.yaml of an operator, and release-config.yaml of a bundle.
#include "opcat/policy/json_schema.hpp"
#include "opcat/policy/static_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opcat::policy {
namespace {

// The last one of a name counts.
const PythonValue* last_named(const PythonList& templates, const PythonValue& name) {
    const PythonValue* found = nullptr;
    for (const PythonValue& one : templates)
        if (python_equal(*one.find("template_name"), name)) found = &one;
    return found;
}

// A template of olm.semver has no other channels than these.
void check_semver_channels(const PythonValue& mapped, const PythonValue& released, Location where,
                           Findings& findings) {
    const PythonValue type = mapped.item("type");
    if (!type.text() || *type.text() != "olm.semver") return;
    const std::vector<std::string> allowed{"Fast", "Candidate", "Stable"};
    const PythonValue channels = released.item("channels");
    const PythonList all = channels.each();
    for (const PythonValue& channel : all) channel.hashable();
    const bool valid = std::all_of(all.begin(), all.end(), [&](const PythonValue& channel) {
        return channel.text() && std::find(allowed.begin(), allowed.end(), *channel.text()) != allowed.end();
    });
    if (valid) return;
    findings.error(
        fmt::format("Bundle's 'release-config.yaml' contains a semver catalog template '{}' with invalid "
                    "channels: {}. Allowed channels are: {}. Follow olm [documentation]"
                    "(https://olm.operatorframework.io/docs/reference/catalog-templates/#specification) to "
                    "see more details about semver template.",
                    released.item("template_name").str(), channels.str(), python_repr(allowed)),
        where);
}

} // namespace

void check_ci_upgrade_graph(const Operator& owner, Findings& findings) {
    const PythonValue graph = owner.config().get("updateGraph");
    if (!graph.is_true())
        return findings.warn("The 'updateGraph' option is missing in ci.yaml. The default upgrade graph "
                             "'replaces-mode' will be used.",
                             owner.config_file().start());
    const std::vector<std::string> allowed{"replaces-mode", "semver-mode"};
    if (graph.text() && std::find(allowed.begin(), allowed.end(), *graph.text()) != allowed.end()) return;
    findings.error(fmt::format("The 'updateGraph' option in ci.yaml must be one of {}", python_repr(allowed)),
                   owner.config_file().at(graph.offset()));
}

void check_schema_operator_ci_config(const Operator& owner, Findings& findings) {
    for (SchemaError& error : schema_errors(ci_schema(), owner.config()))
        findings.error("Operator's 'ci.yaml' contains invalid data which does not comply with the schema: " +
                           error.message,
                       owner.config_file().at(error.offset));
}

void check_catalog_usage_ci_config(const Operator& owner, Findings& findings) {
    const PythonValue mapping = owner.config().get("fbc", empty_dict()).get("catalog_mapping", empty_list());
    if (!mapping.is_true()) return;
    struct Usage {
        PythonValue catalog;
        PythonList templates;
    };
    std::vector<Usage> usages; // in the order in which catalogs are first named
    for (const PythonValue& one : mapping.each()) {
        const PythonValue catalogs = one.get("catalog_names", empty_list());
        const PythonValue name = one.get("template_name");
        for (const PythonValue& catalog : catalogs.each()) {
            catalog.hashable();
            auto known = std::find_if(usages.begin(), usages.end(), [&](const Usage& usage) {
                return python_equal(usage.catalog, catalog);
            });
            if (known == usages.end()) known = usages.insert(known, {catalog, {}});
            known->templates.push_back(name);
        }
    }
    for (const Usage& usage : usages) {
        if (usage.templates.size() < 2) continue;
        const PythonValue templates(std::make_shared<const PythonList>(usage.templates));
        findings.error(
            fmt::format("Operator's 'ci.yaml' contains multiple templates '{}' for the same catalog '{}'.",
                        templates.str(), usage.catalog.str()),
            owner.config_file().at(usage.catalog.offset()));
    }
}

void check_bundle_release_config(const OperatorBundle& bundle, Findings& findings) {
    const PythonValue config = bundle.release_config();
    if (!config.is_true()) return;
    const YamlFile& file = bundle.release_config_file();
    const PythonValue fbc = bundle.owner().config().get("fbc", empty_dict());
    if (!fbc.get("enabled").is_true())
        return findings.error(
            "Bundle's 'release-config.yaml' is used but FBC is not enabled for the operator. Update "
            "the 'fbc.enabled' field in the ci.yaml file.",
            file.start());
    const PythonList mapping = fbc.get("catalog_mapping", empty_list()).each();
    for (const PythonValue& one : mapping) one.item("template_name").hashable();
    for (const PythonValue& released : config.item("catalog_templates").each()) {
        const PythonValue name = released.item("template_name");
        const PythonValue* const mapped = last_named(mapping, name.hashable());
        const Location where = file.at(name.offset());
        if (mapped)
            check_semver_channels(*mapped, released, where, findings);
        else
            findings.error(
                fmt::format("Bundle's 'release-config.yaml' contains a catalog template '{}' that is not "
                            "defined in the ci.yaml file under 'catalog_mapping'. Add the template to the "
                            "'catalog_mapping.",
                            name.str()),
                where);
    }
}

void check_validate_schema_bundle_release_config(const OperatorBundle& bundle, Findings& findings) {
    const PythonValue config = bundle.release_config();
    const YamlFile& file = bundle.release_config_file();
    if (!config.is_true()) {
        if (file.exists())
            findings.passed_by_mistake(
                file.path().ends_with(".yaml")
                    ? "release-config.yaml is empty, and is not compared with its schema"
                    : "release-config.yml is not read: only release-config.yaml is",
                file.start());
        return;
    }
    for (SchemaError& error : schema_errors(release_config_schema(), config))
        findings.error(
            "Bundle's 'release-config.yaml' contains invalid data which does not comply with the schema: " +
                error.message,
            file.at(error.offset));
}

} // namespace opcat::policy
