// Decides if OLM v1 installs what a catalog offers, and what an operator then misses of OLM classic
// (docs/moving-to-olm-v1.md). The rules are those of releases 1.0 to 1.11 (docs/spec/resolution-v1.md).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/resolve/v1/olm_release.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::readiness {

// From the best to the worst.
enum class Verdict : uint8_t {
    ready,              // everything is known, and nothing is in the way
    no_obstacle_known,  // but not everything is known
    with_configuration, // it is installed if the ClusterExtension has the configuration
    unknown,            // what decides is not known
    not_ready,          // it is not installed
};
std::string_view to_string(Verdict verdict);

struct Reason {
    std::string_view rule;                 // of lint/rules.hpp
    Severity severity = Severity::warning; // error: OLM v1 does not install the bundle
    std::string message;                   // without the name of the bundle
    std::string since;                     // for which releases and feature sets that is so; empty: all
    Location where = {};
};

struct BundleReadiness {
    const Bundle* bundle = nullptr;
    Verdict verdict = Verdict::unknown;
    std::vector<Reason> reasons;               // those that prevent the installation first
    std::string configuration = {};            // for which the verdict is with_configuration, as a clause
    std::vector<std::string_view> not_checked; // what the catalog does not hold
};

BundleReadiness readiness_of(const Bundle& bundle, const olmv1::OlmRelease& release);

// Returns the bundle that OLM v1 installs newly if no channel is named; nullptr: the package has no bundle.
const PackageBundle* choice_of_v1(const PackageGraph& graph, const olmv1::OlmRelease& release);

struct ChannelChoice {
    std::string_view channel;
    size_t bundle = 0; // index in PackageReadiness::bundles
};

// An upgrade that OLM v1 refuses because it compares definitions, unless the ClusterExtension says that it
// shall not. A new installation of the later bundle is possible.
struct UnsafeUpgrade {
    const Bundle* from = nullptr;
    const Bundle* to = nullptr;
    std::string definition;
    std::vector<std::string> changes; // in OLM's words, the first ones; empty: they are not known
    size_t more_changes = 0;
    std::string unknown = {}; // why they are not known
};

struct PackageReadiness {
    const PackageGraph* package = nullptr;
    // Between consecutive versions whose definitions are in the catalog.
    std::vector<UnsafeUpgrade> unsafe_upgrades = {};
    bool compares_upgrades = true; // false: that would take too much work
    // The bundles that OLM v1 installs newly: first the one that it chooses if no channel is named, then its
    // other choices for one of the channels. Empty: there is nothing to install.
    std::vector<BundleReadiness> bundles;
    std::vector<ChannelChoice> channels; // those that have a choice
};

// Returns the readiness of all packages, by name. The graph and its catalog must outlive it.
std::vector<PackageReadiness> readiness_of(const UpgradeGraph& graph, const olmv1::OlmRelease& release,
                                           ThreadPool& pool);

// One for each reason of each bundle.
Diagnostics findings_of(const std::vector<PackageReadiness>& packages, const olmv1::OlmRelease& release);

// Returns what was not checked, and for how many bundles.
std::map<std::string_view, size_t> not_checked_in(const std::vector<PackageReadiness>& packages);

// Schema "opcat.readiness.v1" (docs/json-output.md).
nlohmann::ordered_json as_json(const std::vector<PackageReadiness>& packages,
                               const olmv1::OlmRelease& release);

} // namespace opcat::readiness
