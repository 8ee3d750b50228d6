// CatalogSources as ClusterCatalogs.
#include "opcat/cluster/objects.hpp"
#include "opcat/migration/migration.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <tuple>

namespace opcat::migration {
namespace {

using cluster::Object;

std::string image_of(const Object& cluster_catalog) {
    return std::string(cluster_catalog.text("spec", "source", "image", "ref"));
}

// Minutes of a duration as Go writes it: "1h30m", "45m", "90s"; 0: it is not one.
int64_t minutes_of(std::string_view duration) {
    double minutes = 0;
    while (!duration.empty()) {
        double number = 0;
        const auto [end, error] = std::from_chars(duration.data(), duration.data() + duration.size(), number);
        if (error != std::errc() || number < 0) return 0;
        duration.remove_prefix(static_cast<size_t>(end - duration.data()));
        const size_t length = std::min(duration.find_first_of("0123456789."), duration.size());
        const std::string_view unit = duration.substr(0, length);
        if (unit == "h")
            minutes += number * 60;
        else if (unit == "m")
            minutes += number;
        else if (unit == "s")
            minutes += number / 60;
        else
            return 0;
        duration.remove_prefix(length);
    }
    constexpr double most = 525600; // a year
    return minutes > most ? 0 : std::max<int64_t>(minutes > 0 ? 1 : 0, static_cast<int64_t>(minutes));
}

class CatalogPlanner {
public:
    explicit CatalogPlanner(const classic::ClusterState& cluster) {
        for (const Object& object : cluster.others)
            if (object.kind() == "ClusterCatalog") {
                names_.insert(object.name);
                by_image_.emplace(image_of(object), object.name);
            }
        for (const classic::CatalogSource& source : cluster.catalog_sources) ++uses_of_name_[source.name];
    }

    CatalogPlan plan(const classic::CatalogSource& source) {
        CatalogPlan plan{.ns = source.ns, .name = source.name};
        const std::string_view type = source.text("spec", "sourceType");
        const std::string image(source.text("spec", "image"));
        if (type == "configmap" || type == "internal")
            plan.why_not = fmt::format("it is of type {}, and a ClusterCatalog needs an image", type);
        else if (image.empty())
            plan.why_not = "it names an address, and a ClusterCatalog needs an image";
        if (!plan.why_not.empty()) return plan;
        if (!source.annotation("olm.catalogImageTemplate").empty())
            plan.remarks.emplace_back(
                "its image follows the version of Kubernetes (olm.catalogImageTemplate): a "
                "ClusterCatalog keeps the image of today");
        if (!source.items("spec", "secrets").empty())
            plan.remarks.emplace_back(
                "it names pull secrets: OLM v1 uses those of the cluster and of its own ServiceAccount");
        if (const auto known = by_image_.find(image); known != by_image_.end()) {
            plan.cluster_catalog = known->second;
            plan.exists = true;
            return plan;
        }
        plan.cluster_catalog = name_for(source);
        names_.insert(plan.cluster_catalog);
        by_image_.emplace(image, plan.cluster_catalog);
        plan.object = cluster::cluster_catalog({.name = plan.cluster_catalog,
                                                .image = image,
                                                .priority = priority_of(source, plan.remarks),
                                                .poll_minutes = poll_of(source, image, plan.remarks)});
        return plan;
    }

private:
    // Sources of one name in several namespaces have different images, or they would be the same catalog.
    std::string name_for(const classic::CatalogSource& source) const {
        if (uses_of_name_.at(source.name) == 1 && !names_.contains(source.name)) return source.name;
        std::string name = source.name + "-" + source.ns;
        while (names_.contains(name)) name += "-classic";
        return name;
    }

    static std::optional<int64_t> priority_of(const classic::CatalogSource& source,
                                              std::vector<std::string>& remarks) {
        if (!source.at("spec", "priority")) return std::nullopt;
        const int64_t limited = std::clamp<int64_t>(source.priority, std::numeric_limits<int32_t>::min(),
                                                    std::numeric_limits<int32_t>::max());
        if (limited != source.priority)
            remarks.push_back(fmt::format("its priority {} is out of a ClusterCatalog's range: it becomes {}",
                                          source.priority, limited));
        return limited;
    }

    static std::optional<int64_t> poll_of(const classic::CatalogSource& source, const std::string& image,
                                          std::vector<std::string>& remarks) {
        const std::string_view interval = source.text("spec", "updateStrategy", "registryPoll", "interval");
        if (interval.empty()) return std::nullopt;
        if (image.find('@') != std::string::npos) {
            remarks.emplace_back("it polls an image that is named by its digest, which never changes: a "
                                 "ClusterCatalog must not");
            return std::nullopt;
        }
        const int64_t minutes = minutes_of(interval);
        if (minutes == 0) {
            remarks.push_back(fmt::format("its interval \"{}\" is not understood", interval));
            return std::nullopt;
        }
        return minutes;
    }

    std::set<std::string> names_; // of ClusterCatalogs
    std::map<std::string, std::string> by_image_;
    std::map<std::string, size_t> uses_of_name_;
};

} // namespace

std::vector<CatalogPlan> plan_catalogs(const classic::ClusterState& cluster) {
    std::vector<const classic::CatalogSource*> sources;
    for (const classic::CatalogSource& source : cluster.catalog_sources) sources.push_back(&source);
    std::sort(sources.begin(), sources.end(), [](const auto* a, const auto* b) {
        return std::tie(a->ns, a->name) < std::tie(b->ns, b->name);
    });
    CatalogPlanner planner(cluster);
    std::vector<CatalogPlan> plans;
    plans.reserve(sources.size());
    for (const classic::CatalogSource* source : sources) plans.push_back(planner.plan(*source));
    return plans;
}

} // namespace opcat::migration
