#include "opcat/migration/installed.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace opcat::migration {
namespace {

using cluster::Json;
using cluster::Object;
using kube::Fields;

// By namespace and name.
using Csvs = std::map<std::pair<std::string, std::string>, const classic::ClusterServiceVersion*>;

std::string kind_name(std::string_view group, std::string_view kind) {
    return group.empty() ? std::string(kind) : fmt::format("{}.{}", kind, group);
}

std::string text_member(const Json& value, const char* key) {
    return value.is_object() && value.contains(key) && value[key].is_string() ? value[key].get<std::string>()
                                                                              : std::string();
}

std::string kind_of_property(const Json& value) {
    return kind_name(text_member(value, "group"), text_member(value, "kind"));
}

// olm.constraint: one of an alternative counts as what is required, because it may be the one that is there.
void read_constraint(const Json& value, InstalledOperator& installed, unsigned depth = 0) {
    constexpr unsigned deepest = 64; // OLM's limit is below
    if (!value.is_object() || depth > deepest) return;
    if (value.contains("gvk")) installed.requires_.insert(kind_of_property(value["gvk"]));
    if (value.contains("package"))
        installed.requires_.insert("package " + text_member(value["package"], "packageName"));
    if (value.contains("cel")) installed.has_expression = true;
    for (const char* const key : {"all", "any", "not"})
        if (value.contains(key) && value[key].is_object() && value[key].contains("constraints") &&
            value[key]["constraints"].is_array())
            for (const Json& one : value[key]["constraints"]) read_constraint(one, installed, depth + 1);
}

// The properties that OLM writes into an annotation of an installed ClusterServiceVersion.
void read_properties(const Object& csv, InstalledOperator& installed) {
    const std::string_view text = csv.annotation("operatorframework.io/properties");
    if (text.empty()) return;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("properties") || !json["properties"].is_array()) return;
    for (const Json& property : json["properties"]) {
        const std::string type = text_member(property, "type");
        const Json value = property.is_object() && property.contains("value") ? property["value"] : Json();
        if (type == property_type::gvk) {
            installed.provides.insert(kind_of_property(value));
        } else if (type == property_type::gvk_required) {
            installed.requires_.insert(kind_of_property(value));
        } else if (type == property_type::package_required) {
            installed.requires_.insert("package " + text_member(value, "packageName"));
        } else if (type == property_type::constraint) {
            installed.requires_.insert("a constraint");
            read_constraint(value, installed);
        }
    }
}

void read_apis(const Object& csv, InstalledOperator& installed) {
    for (const auto& [list, target] :
         {std::pair{"owned", &installed.provides}, std::pair{"required", &installed.requires_}}) {
        for (const Fields crd : csv.items("spec", "customresourcedefinitions", list)) {
            const std::string_view name = crd.text("name");
            const size_t dot = name.find('.');
            target->insert(
                kind_name(dot == name.npos ? std::string_view() : name.substr(dot + 1), crd.text("kind")));
        }
        for (const Fields api : csv.items("spec", "apiservicedefinitions", list))
            target->insert(kind_name(api.text("group"), api.text("kind")));
    }
}

// What OLM knows of an operator by its ClusterServiceVersion.
void read_csv(const classic::ClusterServiceVersion& csv, InstalledOperator& installed) {
    installed.csv = &csv;
    read_apis(csv, installed);
    read_properties(csv, installed);
}

InstalledOperator read(const classic::Subscription& subscription, const Csvs& csvs,
                       const Catalogs& catalogs) {
    InstalledOperator one{.subscription = &subscription};
    one.provides.insert("package " + subscription.package);
    if (const auto csv = csvs.find({subscription.ns, subscription.installed_csv}); csv != csvs.end())
        read_csv(*csv->second, one);
    const auto catalog = catalogs.find({subscription.source_namespace, subscription.source});
    if (catalog == catalogs.end()) return one;
    one.catalog_known = true;
    one.package = catalog->second->find(subscription.package);
    if (!one.package) return one;
    if (const auto node = one.package->node_by_name.find(subscription.installed_csv);
        node != one.package->node_by_name.end() && !one.package->nodes[node->second].is_virtual())
        one.node = node->second;
    return one;
}

} // namespace

std::vector<InstalledOperator> unsubscribed_operators(const classic::ClusterState& cluster) {
    std::vector<InstalledOperator> all;
    for (const classic::ClusterServiceVersion* const csv : classic::unsubscribed_csvs(cluster))
        read_csv(*csv, all.emplace_back());
    return all;
}

std::vector<InstalledOperator> installed_operators(const classic::ClusterState& cluster,
                                                   const Catalogs& catalogs) {
    Csvs csvs;
    for (const classic::ClusterServiceVersion& csv : cluster.csvs)
        if (!csv.copied) csvs.emplace(std::pair(csv.ns, csv.name), &csv);
    std::vector<InstalledOperator> installed;
    installed.reserve(cluster.subscriptions.size());
    for (const classic::Subscription& subscription : cluster.subscriptions)
        installed.push_back(read(subscription, csvs, catalogs));
    std::sort(installed.begin(), installed.end(), [](const InstalledOperator& a, const InstalledOperator& b) {
        return std::tie(a.subscription->package, a.subscription->ns, a.subscription->name) <
               std::tie(b.subscription->package, b.subscription->ns, b.subscription->name);
    });
    return installed;
}

} // namespace opcat::migration
