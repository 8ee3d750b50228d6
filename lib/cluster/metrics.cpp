#include "cluster/metrics.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <utility>

namespace opcat::cluster {
namespace {

std::string escaped(std::string_view value) {
    std::string text;
    for (const char c : value) {
        if (c == '\\' || c == '"') text += '\\';
        if (c == '\n')
            text += "\\n";
        else
            text += c;
    }
    return text;
}

using Labels = std::initializer_list<std::pair<std::string_view, std::string>>;

std::string sample(std::string_view name, Labels labels, size_t value) {
    std::string inside;
    for (const auto& [key, text] : labels)
        inside += fmt::format("{}{}=\"{}\"", inside.empty() ? "" : ",", key, escaped(text));
    if (!inside.empty()) inside = "{" + inside + "}";
    return fmt::format("{}{} {}\n", name, inside, value);
}

std::string head(std::string_view name, std::string_view help) {
    return fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
}

} // namespace

std::string prometheus_text(const ClassicObjects& objects) {
    std::string text = head("catalog_source_count", "Number of CatalogSources");
    text += sample("catalog_source_count", {}, objects.catalogs.size());
    text += head("catalogsource_ready", "Whether a CatalogSource is READY");
    for (const Json& catalog : objects.catalogs)
        text +=
            sample("catalogsource_ready", {{"name", name_of(catalog)}, {"namespace", namespace_of(catalog)}},
                   cluster::text(catalog, {"status", "connectionState", "lastObservedState"}) == "READY");
    text += head("csv_count", "Number of ClusterServiceVersions, copies apart");
    text += sample("csv_count", {}, objects.csvs.size());
    std::string abnormal;
    text += head("csv_succeeded", "Whether a ClusterServiceVersion is Succeeded");
    for (const Json& csv : objects.csvs) {
        const std::string phase = cluster::text(csv, {"status", "phase"});
        text += sample(
            "csv_succeeded",
            {{"name", name_of(csv)}, {"namespace", namespace_of(csv)}, {"version", version_of_csv(csv)}},
            phase == "Succeeded");
        if (phase == "Succeeded") continue;
        abnormal += sample("csv_abnormal",
                           {{"name", name_of(csv)},
                            {"namespace", namespace_of(csv)},
                            {"phase", phase},
                            {"reason", cluster::text(csv, {"status", "reason"})},
                            {"version", version_of_csv(csv)}},
                           1);
    }
    text += head("csv_abnormal", "There for each ClusterServiceVersion that is not Succeeded") + abnormal;
    text += head("install_plan_count", "Number of InstallPlans");
    text += sample("install_plan_count", {}, objects.plans.size());
    text += head("subscription_count", "Number of Subscriptions");
    text += sample("subscription_count", {}, objects.subscriptions.size());
    return text;
}

} // namespace opcat::cluster
