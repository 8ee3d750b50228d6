#include "opcat/catalog/finding.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/max_openshift.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <map>
#include <optional>

namespace opcat {
namespace {

using olmv1::MinorVersion;

// The clusters that a bundle says it is for.
struct Platforms {
    std::optional<MinorVersion> least_kubernetes;
    std::optional<MinorVersion> most_openshift;
    Location where;
};

Platforms platforms_of(const Bundle& bundle) {
    Platforms platforms;
    platforms.where = bundle.at(bundle.name);
    bool has_max = false;
    for (const Property& property : bundle.properties) {
        if (!property.value) continue;
        if (property.type == property_type::csv_metadata) {
            const auto least = semver::Version::parse(field_text(*property.value, "minKubeVersion"));
            if (least) platforms.least_kubernetes = {least->major, least->minor};
        }
        has_max |= property.type == property_type::max_openshift_version;
    }
    // Manifests are not decoded for it: that takes too long for whole catalogs.
    if (has_max)
        if (const auto max = olmv1::max_openshift_version(bundle)) platforms.most_openshift = *max;
    return platforms;
}

} // namespace

void check_platforms(const PackageIndex& package, Diagnostics& out) {
    std::map<std::string_view, Platforms> by_name;
    for (const Bundle* bundle : package.bundles) {
        const Platforms platforms = platforms_of(*bundle);
        if (!platforms.least_kubernetes && !platforms.most_openshift) continue;
        by_name.emplace(bundle->name, platforms);
        if (auto finding = check_platform_range(bundle->name, platforms.least_kubernetes,
                                                platforms.most_openshift, platforms.where))
            out.push_back(*std::move(finding));
    }
    for (const Channel* channel : package.channels) {
        for (const ChannelEntry& entry : channel->entries) {
            const auto newer = by_name.find(entry.name);
            const auto older = by_name.find(entry.replaces);
            if (newer == by_name.end() || older == by_name.end()) continue;
            const Platforms& from = older->second;
            const Platforms& to = newer->second;
            if (to.most_openshift && from.most_openshift &&
                olmv1::is_older(*to.most_openshift, *from.most_openshift))
                out.push_back(warning(
                    "platform-range", channel->at(entry.name),
                    fmt::format("{} supports OpenShift up to {}, but {}, which it replaces, up to {}",
                                entry.name.text, to.most_openshift->to_string(), entry.replaces.text,
                                from.most_openshift->to_string()),
                    "after this upgrade of the operator, OpenShift can no longer be upgraded: correct "
                    "olm.maxOpenShiftVersion of one of them"));
            if (to.least_kubernetes && from.least_kubernetes && *to.least_kubernetes < *from.least_kubernetes)
                out.push_back(finding(
                    Severity::note, "platform-range", channel->at(entry.name),
                    fmt::format("{} needs Kubernetes {}, but {}, which it replaces, needs {}: older clusters "
                                "cannot reach it by upgrades",
                                entry.name.text, to.least_kubernetes->to_string(), entry.replaces.text,
                                from.least_kubernetes->to_string()),
                    fmt::format("skip {}, or correct minKubeVersion of one of them", entry.replaces.text)));
        }
    }
}

} // namespace opcat
