#include "resolve/v1/upgrade_path.hpp"

#include <algorithm>
#include <unordered_map>

namespace opcat::olmv1 {

InstalledBundle as_installed(const PackageBundle& bundle, bool release_support) {
    InstalledBundle installed{std::string(bundle.name()), {}, std::nullopt};
    const BundleVersion& version = bundle.version(release_support);
    if (!version) return installed;
    installed.version = shown(*version, release_support);
    if (release_support && version->release) installed.release = version->release->to_string();
    return installed;
}

std::vector<const PackageBundle*> shortest_path(const Request& request, const PackageGraph& package,
                                                const BundleTest& is_goal) {
    Request step;
    step.package = request.package;
    step.channels = request.channels;
    step.release_support = request.release_support;
    step.installed = request.installed;
    // Level by level; what is reached remembers where from. Bundles go by their place.
    constexpr size_t nowhere = static_cast<size_t>(-1);
    const std::vector<PackageBundle>& bundles = package.bundles;
    std::unordered_map<size_t, size_t> reached_from;
    std::vector<size_t> level = {nowhere};
    while (!level.empty()) {
        std::vector<size_t> next;
        for (const size_t from : level) {
            if (from != nowhere) step.installed = as_installed(bundles[from], request.release_support);
            const auto query = Query::compile(step);
            if (!query || !query->installed_error().empty()) continue;
            for (size_t to = 0; to < bundles.size(); ++to) {
                if (reached_from.contains(to) || bundles[to].refused_by_v1) continue;
                const V1Edge::Step edge = query->edge_to(package, bundles[to]).step;
                if (edge == V1Edge::Step::none || edge == V1Edge::Step::crash) continue;
                // With the channels pinned, a bundle outside them is none to go through.
                if (!query->in_channels(package, bundles[to])) continue;
                reached_from[to] = from;
                next.push_back(to);
            }
        }
        const auto is_higher = [&](size_t a, size_t b) {
            const BundleVersion& version_a = bundles[a].version(request.release_support);
            const BundleVersion& version_b = bundles[b].version(request.release_support);
            if (!version_a || !version_b) return static_cast<bool>(version_a) && !version_b;
            return *version_a > *version_b;
        };
        std::stable_sort(next.begin(), next.end(), is_higher);
        const auto goal =
            std::find_if(next.begin(), next.end(), [&](size_t i) { return is_goal(bundles[i]); });
        if (goal != next.end()) {
            std::vector<const PackageBundle*> path;
            for (size_t i = *goal; i != nowhere; i = reached_from[i]) path.push_back(&bundles[i]);
            std::reverse(path.begin(), path.end());
            return path;
        }
        level = std::move(next);
    }
    return {};
}

} // namespace opcat::olmv1
