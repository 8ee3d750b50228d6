// Plans the move of a cluster's operators from OLM classic to OLM v1: which can move, what is in the way, and
// the objects that replace those of OLM classic (docs/moving-to-olm-v1.md). Nothing here changes a cluster.
#pragma once

#include "opcat/cluster/objects.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/resolve/classic/cluster_state.hpp"
#include "opcat/resolve/v1/olm_release.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::migration {

enum class Standing : uint8_t { eligible, already_migrated, unknown, ineligible, conflict };
std::string_view to_string(Standing standing); // "Eligible"

// A requirement of the migration that is not met, or of which it is not known whether it is.
struct Obstacle {
    std::string_view check; // a stable word: "install-modes"
    std::string message;
    Standing standing = Standing::ineligible; // what it makes of the operator
};

// A version without the obstacles that lie in the bundle, and how OLM classic reaches it.
struct Detour {
    std::string bundle;
    std::string channel;            // to switch to; empty: the Subscription's own
    std::vector<std::string> steps; // upgrades, the last one is to `bundle`
};

struct OperatorPlan {
    std::string package = {};
    std::string ns = {};
    std::string subscription = {}; // empty: OLM v1 has it already
    std::string installed = {};    // the ClusterServiceVersion
    std::string version = {};
    std::string channel = {};
    std::string catalog = {}; // "namespace/name"
    Standing standing = Standing::eligible;
    std::vector<Obstacle> obstacles = {};
    std::optional<Detour> detour = {};         // if the obstacles in the bundle can be left behind
    std::vector<cluster::Object> objects = {}; // that OLM v1 needs, in the order of applying
    std::vector<std::string> lost = {};        // what OLM classic did and OLM v1 will not do

    // Adds an obstacle, which may change the standing.
    void hold_back(std::string_view check, std::string message, Standing as = Standing::ineligible);
};

struct CatalogPlan {
    std::string ns, name;                       // of the CatalogSource
    std::string cluster_catalog = {};           // its name in OLM v1; empty: it cannot move
    bool exists = false;                        // the cluster has it, or another CatalogSource brings it
    std::optional<cluster::Object> object = {}; // nothing if it exists, or cannot move
    std::string why_not = {};                   // it cannot move
    std::vector<std::string> remarks = {};
};

struct Plan {
    olmv1::OlmRelease release = {};
    std::vector<CatalogPlan> catalogs;   // by namespace and name
    std::vector<OperatorPlan> operators; // in the order of moving: what others require comes after them

    size_t count(Standing standing) const;
    bool is_whole() const; // everything can move or has moved; false if there is nothing
};

// The content of CatalogSources, by namespace and name: those that are known.
using Catalogs = std::map<std::pair<std::string, std::string>, const UpgradeGraph*>;

// O(n log n) in the objects, and the bundles of the packages that are installed.
Plan plan_migration(const classic::ClusterState& cluster, const Catalogs& catalogs,
                    const olmv1::OlmRelease& release);

// ---- its parts

std::vector<CatalogPlan> plan_catalogs(const classic::ClusterState& cluster);

// ---- forms

// Schema "opcat.migration.v1" (docs/json-output.md).
nlohmann::ordered_json as_json(const Plan& plan);
// All objects to apply, as documents of YAML.
std::string as_yaml(const Plan& plan);
// A runbook.
std::string as_markdown(const Plan& plan);

} // namespace opcat::migration
