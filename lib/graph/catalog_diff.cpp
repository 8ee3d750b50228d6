#include "graph/catalog_diff.hpp"

#include "graph/changes.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace opcat {

std::string_view to_string(HarmKind kind) {
    switch (kind) {
    case HarmKind::stranded:
        return "stranded";
    case HarmKind::ambiguous:
        return "ambiguous";
    case HarmKind::removed:
        return "removed";
    case HarmKind::default_channel:
        return "default-channel";
    case HarmKind::skipped:
        return "skipped";
    case HarmKind::z_stream:
        return "z-stream";
    case HarmKind::deprecated:
        return "deprecated";
    }
    return {};
}

std::span<const HarmKind> all_harm_kinds() {
    static constexpr std::array kinds{HarmKind::stranded,        HarmKind::ambiguous, HarmKind::removed,
                                      HarmKind::default_channel, HarmKind::skipped,   HarmKind::z_stream,
                                      HarmKind::deprecated};
    return kinds;
}

CatalogDiff diff_catalogs(const UpgradeGraph& before, const UpgradeGraph& after) {
    CatalogDiff diff;
    size_t i = 0;
    size_t j = 0;
    while (i < before.packages.size() || j < after.packages.size()) {
        const PackageGraph* old = i < before.packages.size() ? &before.packages[i] : nullptr;
        const PackageGraph* now = j < after.packages.size() ? &after.packages[j] : nullptr;
        if (old && now && old->name != now->name) {
            if (old->name < now->name)
                now = nullptr;
            else
                old = nullptr;
        }
        i += old ? 1 : 0;
        j += now ? 1 : 0;
        if (auto changes = find_changes(old, now)) diff.packages.push_back(*std::move(changes));
        find_harms(old, now, diff.harms);
    }
    std::stable_sort(diff.harms.begin(), diff.harms.end(), [](const Harm& a, const Harm& b) {
        return std::tuple(a.package, a.kind, a.channel) < std::tuple(b.package, b.kind, b.channel);
    });
    return diff;
}

} // namespace opcat
