#include "opcat/mirror/source_template.hpp"

#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/finding.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat {
namespace {

constexpr std::string_view template_rule = "image-set";

// Members of `more` that `json` does not have, at every depth.
void add_missing(nlohmann::ordered_json& json, const nlohmann::ordered_json& more) {
    for (const auto& [key, value] : more.items()) {
        if (!json.contains(key) || json[key].is_null())
            json[key] = value;
        else if (json[key].is_object() && value.is_object())
            add_missing(json[key], value);
    }
}

} // namespace

std::optional<SourceTemplate> SourceTemplate::read(const SourceFile& file, Diagnostics& diagnostics) {
    auto arena = std::make_shared<Arena>();
    const auto root = read_object(file, *arena, "a CatalogSource", template_rule, diagnostics);
    if (!root) return std::nullopt;
    const kube::Object object(*root, arena);
    const auto refuse = [&](const std::string& message, const std::string& help) {
        diagnostics.push_back(error(template_rule, {&file, root->offset(), 1}, message, help));
        return std::nullopt;
    };
    if (object.kind() != "CatalogSource" || object.text("apiVersion") != "operators.coreos.com/v1alpha1")
        return refuse("the template is not a CatalogSource",
                      "write kind: CatalogSource and apiVersion: operators.coreos.com/v1alpha1");
    if (object.text("spec", "sourceType") != "grpc")
        return refuse("spec.sourceType is not grpc", "write sourceType: grpc below spec");
    for (const char* const other : {"configMap", "address"})
        if (object.at("spec", other))
            return refuse(fmt::format("the template has spec.{}, and so no image", other), "remove it");
    return SourceTemplate(cluster::object_of(cluster::json_of(*root))); // which does not need the file
}

kube::Object SourceTemplate::fill(const cluster::CatalogSourceSpec& wanted) const {
    nlohmann::ordered_json json = cluster::json_of(object_.value());
    json["metadata"]["name"] = wanted.name;
    json["metadata"]["namespace"] = wanted.ns;
    json["spec"]["image"] = wanted.image;
    add_missing(json, cluster::json_of(cluster::catalog_source(wanted).value()));
    return cluster::object_of(json);
}

} // namespace opcat
