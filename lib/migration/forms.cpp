#include "opcat/base/text.hpp"
#include "opcat/migration/migration.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace opcat::migration {
namespace {

using cluster::Json;

Json json_of(const CatalogPlan& plan) {
    Json json{{"namespace", plan.ns}, {"name", plan.name}};
    if (!plan.cluster_catalog.empty()) json["clusterCatalog"] = plan.cluster_catalog;
    if (plan.exists) json["exists"] = true;
    if (!plan.why_not.empty()) json["whyNot"] = plan.why_not;
    if (!plan.remarks.empty()) json["remarks"] = plan.remarks;
    if (plan.object) json["object"] = cluster::json_of(plan.object->value());
    return json;
}

Json json_of(const OperatorPlan& plan) {
    Json json{
        {"package", plan.package},     {"namespace", plan.ns},    {"standing", to_string(plan.standing)},
        {"installed", plan.installed}, {"version", plan.version}, {"catalog", plan.catalog}};
    if (!plan.subscription.empty()) json["subscription"] = plan.subscription;
    if (!plan.channel.empty()) json["channel"] = plan.channel;
    json["obstacles"] = Json::array();
    for (const Obstacle& one : plan.obstacles)
        json["obstacles"].push_back(
            {{"check", one.check}, {"message", one.message}, {"standing", to_string(one.standing)}});
    if (plan.detour) {
        json["detour"] = {{"bundle", plan.detour->bundle}, {"steps", plan.detour->steps}};
        if (!plan.detour->channel.empty()) json["detour"]["channel"] = plan.detour->channel;
    }
    json["lost"] = plan.lost;
    json["objects"] = Json::array();
    for (const cluster::Object& object : plan.objects)
        json["objects"].push_back(cluster::json_of(object.value()));
    return json;
}

} // namespace

Json as_json(const Plan& plan) {
    Json json{{"schema", "opcat.migration.v1"},
              {"release", plan.release.version()},
              {"featureSet", plan.release.feature_set()},
              {"summary", Json::object()},
              {"catalogs", Json::array()},
              {"operators", Json::array()}};
    for (const Standing standing : {Standing::eligible, Standing::already_migrated, Standing::ineligible,
                                    Standing::conflict, Standing::unknown})
        json["summary"][std::string(to_string(standing))] = plan.count(standing);
    for (const CatalogPlan& catalog : plan.catalogs) json["catalogs"].push_back(json_of(catalog));
    for (const OperatorPlan& one : plan.operators) json["operators"].push_back(json_of(one));
    return json;
}

std::string as_yaml(const Plan& plan) {
    std::string text;
    // Who applies the objects reads nothing else.
    const auto add = [&](const cluster::Object& object, std::string_view about,
                         const std::vector<std::string>& remarks) {
        text += "---\n";
        for (const std::string& remark : remarks)
            text += fmt::format("# {}: {}\n", about, escape_controls(on_one_line(remark)));
        text += kube::to_yaml(object.value());
    };
    for (const CatalogPlan& catalog : plan.catalogs)
        if (catalog.object) add(*catalog.object, "note", catalog.remarks);
    for (const OperatorPlan& one : plan.operators)
        for (const cluster::Object& object : one.objects)
            add(object, "OLM v1 does not do",
                &object == &one.objects.back() ? one.lost : std::vector<std::string>());
    return text;
}

} // namespace opcat::migration
