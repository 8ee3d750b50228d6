// The installed operators that keep OpenShift from its next minor version, and how either OLM gets them out
// of the way (docs/spec/resolution-v1.md, "OpenShift").
#pragma once

#include "opcat/olm/next_steps.hpp"
#include "opcat/resolve/v1/installed.hpp"
#include "opcat/resolve/v1/max_openshift.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::olmv1 {

// Which OLMs may have installed an operator, and so would upgrade it.
struct AskedOlms {
    bool classic = true;
    bool v1 = true;
    OlmRelease release = {}; // of OLM v1
};

struct UpgradeBlock {
    enum class Kind : uint8_t {
        none,    // it allows the next version
        blocks,  // its maximum is lower
        invalid, // its maximum cannot be read, which blocks, too
        gone     // the catalogs of the next version have neither it nor an upgrade from it
    };
    // Upgrades to make one after the other, by the catalog's edges; the last bundle does not block.
    struct WayOut {
        std::vector<const PackageBundle*> steps;
        std::string_view channel = {}; // OLM classic: the one to be subscribed to
        // Where OLM classic ends if it approves all upgrades by itself, if that blocks again.
        const PackageBundle* beyond = nullptr;
    };

    InstalledOperator installed;
    Kind kind = Kind::none;
    std::optional<MinorVersion> max;
    std::string error; // with Kind::invalid and Kind::gone
    // With Kind::blocks and Kind::invalid. Nothing: there is no such way, or that OLM is not asked.
    std::optional<WayOut> classic;
    std::optional<WayOut> v1;
    // Without a way of OLM v1: the newest bundle that does not block, for SelfCertified. nullptr: there is
    // none.
    const PackageBundle* forced = nullptr;
};

// `own_max` is what the CSV on the cluster says, which counts there; nothing: what the catalog says. `next`
// are the catalogs of the next version of OpenShift; empty: they are not known.
UpgradeBlock check_upgrade(const InstalledOperator& installed, const MinorVersion& cluster,
                           const AskedOlms& olms, std::span<const NamedCatalog> next,
                           const std::optional<MaxOpenShift>& own_max = {});

// Returns true if a package has the installed version, or an upgrade from it that this OLM makes, in any
// channel: OLM classic one along the chain, OLM v1 one to a bundle that it does not refuse.
bool is_known_to(const PackageGraph& package, const Installed& installed, OlmGeneration olm);

// The newest bundle that OLM v1 can install and whose maximum allows a version of OpenShift, other than the
// installed one; nullptr if there is none.
const PackageBundle* newest_that_allows(const PackageGraph& package, const MinorVersion& version,
                                        const Installer& installer, const Bundle* installed);

} // namespace opcat::olmv1
