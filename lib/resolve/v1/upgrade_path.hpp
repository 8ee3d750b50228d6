// Upgrade paths: manual ones in the fewest steps, and automatic ones over time, for one installed version and
// for all of them.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat::olmv1 {

// The bundle as one that is installed.
InstalledBundle as_installed(const PackageBundle& bundle, bool release_support);

// Returns true if OLM v1 installs the bundle: it has no dependencies, and nothing is known of it for which
// the installer refuses it. A namespace to watch that is missing counts as something that its user can add.
bool can_be_installed(const PackageBundle& bundle, const std::optional<Installer>& installer);

using BundleTest = std::function<bool(const PackageBundle&)>;

// The bundles to install one after the other, in as few steps as possible, until the first one that passes
// the test; of several such, the highest version. Only the request's installed bundle, channels and gate
// count, not its range; bundles that OLM v1 does not install, for their dependencies or by its rules about
// installing, are left out. Empty if there is no path. Quadratic in the bundles of the package.
std::vector<const PackageBundle*> shortest_path(const Request& request, const PackageGraph& package,
                                                const BundleTest& is_goal);

// Automatic upgrades over time.
struct UpgradePath {
    struct Step {
        Choice choice;
        std::string edge; // why it follows the previous one; empty for an installation
    };
    enum class End : uint8_t {
        stays,  // the last one resolves to itself
        fails,  // the next resolution or installation fails, with `error`
        circles // returns to an earlier bundle
    };
    std::vector<Step> steps; // without the initially installed bundle if it stays
    End end = End::stays;
    std::string error;
};

// Resolves again from each result until nothing changes. Always terminates: no bundle is left twice.
UpgradePath follow_upgrades(const Request& request, std::span<const NamedCatalog> catalogs);

// The upgrades from one installed version.
struct UpgradeOutcome {
    enum class Kind : uint8_t { stays, moves, stuck };
    InstalledBundle installed;
    Kind kind = Kind::stays;
    std::optional<Choice> choice; // of what stays or moves
    std::string why;              // the edge, why nothing newer is reached, or what fails
    bool is_gone = false;         // no catalog has the installed bundle any more
};

// The request for every bundle of the package in all selected catalogs as the installed one, lowest version
// first, without bundles whose version is not valid; then for those of `before` that are gone from the
// catalogs. The request's own installed bundle is ignored.
std::vector<UpgradeOutcome> upgrade_outcomes(const Request& request, std::span<const NamedCatalog> catalogs,
                                             ThreadPool& pool,
                                             const std::vector<UpgradeOutcome>& before = {});

// A difference between two such tables for an installed version.
struct OutcomeChange {
    enum class Kind : uint8_t { same, changed, added, removed };
    Kind kind;
    const UpgradeOutcome* before = nullptr; // nullptr: added
    const UpgradeOutcome* after = nullptr;
    // The version used to reach its target or move on, and no longer does.
    bool is_worse() const;
};

// In the order of `after`, which has all versions of `before`, too. Refers to both.
std::vector<OutcomeChange> compare(const std::vector<UpgradeOutcome>& before,
                                   const std::vector<UpgradeOutcome>& after);

} // namespace opcat::olmv1
