#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/bundle_checks/checks.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/type.hpp"
#include "opcat/kube/labels.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

namespace opcat::bundle_checks {
namespace {

using kube::Fields;

// OLM derives names of objects and values of labels from it.
void check_name(const Source& bundle, const Fields& name, std::string_view field, Diagnostics& out) {
    std::vector<std::string> reasons = kube::subdomain_errors(name.value().string_or_empty());
    if (reasons.empty()) reasons = kube::label_value_errors(name.value().string_or_empty());
    if (reasons.empty()) return;
    out.push_back(
        error("csv-name", name ? place_of(bundle.csv, name) : place_of(bundle.csv, bundle.csv, "metadata"),
              fmt::format("{} \"{}\" cannot be the name of a ClusterServiceVersion", field,
                          name.value().string_or_empty()),
              "use up to 63 lower-case letters, digits, '-' and '.', with a letter or digit at both "
              "ends of every part"));
}

void check_api_version(const Source& bundle, Diagnostics& out) {
    const std::string_view text = bundle.csv.text("apiVersion");
    const size_t slash = text.find('/');
    const std::string_view version = slash == text.npos ? text : text.substr(slash + 1);
    if (!version.empty() && version.find('/') == version.npos) return;
    out.push_back(error("csv-api-version", place_of(bundle.csv, bundle.csv, "apiVersion"),
                        text.empty() ? "the ClusterServiceVersion has no apiVersion"
                                     : fmt::format("the apiVersion \"{}\" names no version", text),
                        "write \"apiVersion: operators.coreos.com/v1alpha1\""));
}

// ---- fields that must not be empty

// Returns true if Go's value is that of a missing field: an empty list's is not.
bool is_zero(const Value& value, const go::Type& type) {
    switch (value.kind()) {
    case Value::Kind::null:
        return true;
    case Value::Kind::string:
        return value.string().empty();
    case Value::Kind::boolean:
        return !value.boolean();
    case Value::Kind::array:
        return false;
    case Value::Kind::object:
        return type.kind == go::Type::Kind::structure &&
               std::all_of(value.members().begin(), value.members().end(), [&](const Member& member) {
                   const go::Field* const field = type.field(member.key.string());
                   return !field || is_zero(member.value, *field->type);
               });
    default:
        return value.number() == 0;
    }
}

class RequiredFields {
public:
    RequiredFields(const Source& bundle, Diagnostics& out) : csv_(bundle.csv), out_(out) {}

    void check() {
        const go::Type& type = go::type_named("ClusterServiceVersion");
        const go::Type& spec_type = *type.field("spec")->type;
        const go::Type& install_type = *spec_type.field("install")->type;
        has(csv_, "metadata", *type.field("metadata")->type);
        if (!has(csv_, "spec", spec_type)) return;
        const Fields spec = csv_.at("spec");
        has(spec, "displayName", *spec_type.field("displayName")->type, "spec.");
        if (!has(spec, "install", install_type, "spec.")) return;
        const Fields install = spec.at("install");
        has(install, "strategy", *install_type.field("strategy")->type, "spec.install.");
        const go::Type& details = *install_type.field("spec")->type;
        if (!is_zero(install.at("spec").value(), details))
            has(install.at("spec"), "deployments", *details.field("deployments")->type, "spec.install.spec.");
    }

private:
    bool has(const Fields& object, std::string_view field, const go::Type& type, std::string_view path = {}) {
        if (!is_zero(object.at(field).value(), type)) return true;
        out_.push_back(error("csv-required-field", place_of(csv_, object, field),
                             fmt::format("the ClusterServiceVersion has no {}{}", path, field)));
        return false;
    }

    const kube::Object& csv_;
    Diagnostics& out_;
};

// ---- annotations

// The fields that OLM itself reads and writes.
constexpr std::string_view known_annotations[] = {"olm.operatorGroup", "olm.operatorNamespace",
                                                  "olm.targetNamespaces", "olm.providedAPIs",
                                                  "olm.skipRange"};

void check_annotations(const Source& bundle, Diagnostics& out) {
    for (const Member& member : bundle.csv.members("metadata", "annotations")) {
        const std::string_view key = member.key.string();
        const Location where{bundle.csv.file, member.key.offset(), static_cast<uint32_t>(key.size())};
        for (const std::string_view known : known_annotations)
            if (key != known && case_folded(key) == ascii_lower(known))
                out.push_back(error("csv-annotation-case", where,
                                    fmt::format("OLM does not know the annotation {}", key),
                                    fmt::format("write {}", known)));
        if (key == "olm.properties")
            out.push_back(warning("csv-properties-annotation", where,
                                  "properties are in an annotation of the ClusterServiceVersion",
                                  "move them to metadata/properties.yaml"));
    }
}

// ---- install modes

void check_install_modes(const Source& bundle, Diagnostics& out) {
    const kube::Object& csv = bundle.csv;
    const std::span<const Value> modes = csv.items("spec", "installModes");
    const Location where = place_of(csv, csv, "spec", "installModes");
    if (modes.empty()) {
        out.push_back(error("csv-install-modes", where, "the ClusterServiceVersion has no install modes",
                            "list OwnNamespace, SingleNamespace, MultiNamespace and AllNamespaces, each with "
                            "\"supported: true\" or \"supported: false\""));
        return;
    }
    const auto is_supported = [](const Fields& mode) { return mode.flag("supported"); };
    const bool only_all_namespaces = std::all_of(modes.begin(), modes.end(), [&](const Fields& mode) {
        return is_supported(mode) == (mode.text("type") == "AllNamespaces");
    });
    if (!only_all_namespaces)
        for (const Fields webhook : csv.items("spec", "webhookdefinitions"))
            if (!webhook.items("conversionCRDs").empty())
                out.push_back(
                    error("csv-conversion-webhook", place_of(csv, webhook, "conversionCRDs"),
                          "a webhook converts objects of all namespaces, but AllNamespaces is not the "
                          "only install mode that is supported",
                          "support AllNamespaces and no other install mode"));
    if (std::none_of(modes.begin(), modes.end(), is_supported))
        out.push_back(error("csv-install-modes", where, "no install mode is supported",
                            "write \"supported: true\" for the modes in which the operator works"));
}

} // namespace

void check_min_kube_version(const Source& bundle, Diagnostics& out) {
    const std::string_view version = bundle.csv.text("spec", "minKubeVersion");
    const Location where = place_of(bundle.csv, bundle.csv, "spec", "minKubeVersion");
    if (trim_white_space(version).empty())
        out.push_back(warning("csv-min-kube-version-missing", where,
                              "the ClusterServiceVersion has no spec.minKubeVersion",
                              "say which version of Kubernetes the operator needs, such as 1.25.0"));
    else if (!semver::Version::parse(version))
        out.push_back(error("csv-min-kube-version", where,
                            fmt::format("spec.minKubeVersion \"{}\" is not a version", version),
                            "write three numbers, such as 1.25.0"));
}

void check_csv(const Source& bundle, Diagnostics& out) {
    const Fields& csv = bundle.csv;
    check_name(bundle, csv.at("metadata", "name"), "metadata.name", out);
    if (const Fields replaces = csv.at("spec", "replaces"); !replaces.value().string_or_empty().empty())
        check_name(bundle, replaces, "spec.replaces", out);
    check_examples(bundle, out);
    check_install_modes(bundle, out);
    check_min_kube_version(bundle, out);
    RequiredFields(bundle, out).check();
    check_annotations(bundle, out);
    check_api_version(bundle, out);
}

} // namespace opcat::bundle_checks
