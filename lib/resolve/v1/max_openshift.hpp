// The installed operators that block the upgrade to the next minor version of OpenShift
// (docs/spec/resolution-v1.md).
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opcat::olmv1 {

// A minor version of OpenShift: patch and prerelease are ignored.
struct MinorVersion {
    uint64_t major = 0;
    uint64_t minor = 0;

    MinorVersion next() const { return {major, minor + 1}; }
    std::string to_string() const;
    friend auto operator<=>(const MinorVersion&, const MinorVersion&) = default;
};

// The minor version of a cluster: "4.18.3", also "4.18".
Result<MinorVersion, std::string> minor_version_of_cluster(std::string_view text);

// The bundle's olm.maxOpenShiftVersion: from its properties, or else from the annotation olm.properties of
// its CSV; nothing if there is none. The error is that of OLM v1's cluster operator, word for word.
Result<std::optional<MinorVersion>, std::string> max_openshift_version(const Bundle& bundle);

struct InstalledOperator {
    const NamedCatalog* catalog;
    const PackageGraph* package;
    const PackageBundle* bundle;
};

struct UpgradeBlock {
    enum class Kind : uint8_t { none, blocks, invalid };
    InstalledOperator installed;
    Kind kind = Kind::none;
    std::optional<MinorVersion> max;
    std::string error; // with Kind::invalid
    // How to unblock the upgrade: the upgrades to make one after the other, by the catalog's edges; without
    // such a path, the newest bundle that does not block, for SelfCertified. Empty and nullptr: only removal
    // helps.
    std::vector<const PackageBundle*> way_out;
    const PackageBundle* forced = nullptr;
};

UpgradeBlock check_upgrade(const InstalledOperator& installed, const MinorVersion& cluster);

} // namespace opcat::olmv1
