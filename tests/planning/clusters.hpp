// Catalogs of minor versions of OpenShift, and plans for what is installed.
#pragma once

#include "../load_text.hpp"
#include "opcat/planning/report.hpp"

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::planning {

struct TestPlatforms {
    std::deque<CatalogIndex> indexes;
    std::deque<PlatformCatalog> catalogs;

    void add(MinorVersion version, Catalog catalog) {
        catalogs.push_back({version, version.to_string(), &indexes.emplace_back(std::move(catalog))});
    }
    void add(MinorVersion version, std::string_view yaml) {
        add(version, std::move(load_text(yaml).catalog));
    }
    void add_directory(MinorVersion version, const std::filesystem::path& directory) {
        ThreadPool pool(2);
        add(version, std::move(load_catalog(directory, pool).catalog));
    }

    ClusterPlan plan(std::vector<InstalledOperator> operators, MinorVersion from, MinorVersion to,
                     bool eus = false, std::string_view at = "2026-11-28") const {
        std::vector<Stop> stops = stops_between(from, to, eus, catalogs);
        std::vector<std::shared_ptr<const OperatorPlan>> plans;
        const PlanOptions options{*read_date(at), {}};
        for (InstalledOperator& one : operators) {
            complete(one, stops);
            plans.push_back(std::make_shared<OperatorPlan>(plan_operator(one, stops, options)));
        }
        BundleFacts facts;
        return put_in_order(std::move(stops), std::move(plans), options, facts);
    }
};

// The catalogs testdata/catalogs/stores-v4.16 to v4.18.
inline TestPlatforms stores() {
    TestPlatforms platforms;
    for (uint64_t minor = 16; minor <= 18; ++minor)
        platforms.add_directory({4, minor}, std::filesystem::path(OPCAT_TESTDATA) / "catalogs" /
                                                ("stores-v4." + std::to_string(minor)));
    return platforms;
}

inline InstalledOperator installed(std::string package, std::string bundle, std::vector<std::string> channels,
                                   OlmGeneration olm = OlmGeneration::classic, bool by_hand = false) {
    InstalledOperator one;
    one.given = bundle;
    one.package = std::move(package);
    one.bundle = std::move(bundle);
    one.channels = std::move(channels);
    one.olm = olm;
    one.by_hand = by_hand;
    return one;
}

} // namespace opcat::planning
