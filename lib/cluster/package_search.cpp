#include "opcat/cluster/package_search.hpp"

#include "opcat/base/text.hpp"
#include "opcat/resolve/v1/resolver.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace opcat::cluster {

namespace {

// Versions that cannot be read come last.
void sort_versions(std::vector<HitVersion>& versions) {
    std::stable_sort(versions.begin(), versions.end(), [](const HitVersion& a, const HitVersion& b) {
        const auto one = semver::Version::parse(a.version);
        const auto other = semver::Version::parse(b.version);
        if (!one || !other) return one && !other;
        return *other < *one;
    });
}

std::vector<HitVersion> versions_of(const PackageManifest& manifest) {
    std::vector<HitVersion> versions;
    for (const PackageChannel& channel : manifest.channels) {
        std::vector<PackageEntry> entries = channel.entries;
        // An old package server reports only the head.
        if (entries.empty() && !channel.head.empty())
            entries.push_back({.name = channel.head, .version = {}});
        for (const PackageEntry& entry : entries) {
            auto known = std::find_if(versions.begin(), versions.end(),
                                      [&](const HitVersion& one) { return one.bundle == entry.name; });
            if (known == versions.end())
                known = versions.insert(known, {entry.version, entry.name, {}, !entry.deprecation.empty()});
            known->channels.push_back(channel.name);
        }
    }
    sort_versions(versions);
    return versions;
}

std::vector<HitVersion> versions_of(const PackageGraph& package) {
    std::vector<HitVersion> versions;
    for (const PackageBundle& bundle : package.bundles) {
        HitVersion one{std::string(package.nodes[bundle.node].version_text),
                       std::string(bundle.name()),
                       {},
                       bundle.deprecated};
        for (const ChannelGraph& channel : package.channels)
            if (channel.find(bundle.node)) one.channels.emplace_back(channel.name);
        versions.push_back(std::move(one));
    }
    sort_versions(versions);
    return versions;
}

bool contains_ignoring_case(std::string_view text, std::string_view word) {
    return ascii_lower(text).find(ascii_lower(word)) != std::string::npos;
}

} // namespace

std::vector<Hit> find_packages(std::span<const PackageManifest> manifests, std::string_view word,
                               bool with_versions) {
    std::vector<Hit> hits;
    for (const PackageManifest& manifest : manifests) {
        if (!contains_ignoring_case(manifest.package, word) &&
            !contains_ignoring_case(manifest.display_name, word))
            continue;
        Hit hit{manifest.package,
                manifest.catalog_ns + "/" + manifest.catalog,
                Olm::classic,
                manifest.default_channel,
                {},
                manifest.display_name,
                {},
                manifest.deprecations()};
        if (const PackageChannel* const channel = manifest.channel(manifest.default_channel))
            hit.head = channel->head;
        for (const PackageChannel& channel : manifest.channels) hit.channels.push_back(channel.name);
        if (with_versions) hit.versions = versions_of(manifest);
        hits.push_back(std::move(hit));
    }
    return hits;
}

std::vector<Hit> find_packages(std::span<const olmv1::NamedCatalog> catalogs, std::string_view word,
                               bool with_versions) {
    std::vector<Hit> hits;
    for (const olmv1::NamedCatalog& catalog : catalogs) {
        for (const std::string_view name : catalog.index->package_names()) {
            if (!contains_ignoring_case(name, word)) continue;
            olmv1::Request request;
            request.package = name;
            const olmv1::Resolution resolution = olmv1::resolve(request, std::span(&catalog, 1));
            const PackageGraph& package = *catalog.index->find(name);
            Hit hit{std::string(name), catalog.name, Olm::v1, {}, {}, {}, {}, {}};
            if (resolution.choice) {
                hit.head = resolution.choice->bundle->name();
                hit.deprecations = deprecations_of(request, *resolution.choice);
            }
            for (const ChannelGraph& channel : package.channels) hit.channels.emplace_back(channel.name);
            if (with_versions) hit.versions = versions_of(package);
            hits.push_back(std::move(hit));
        }
    }
    return hits;
}

void sort_hits(std::vector<Hit>& hits) {
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
        return std::tie(a.package, a.catalog) < std::tie(b.package, b.catalog);
    });
}

std::string hits_as_rows(std::span<const Hit> hits) {
    std::string table = "PACKAGE\tCATALOG\tOLM\tHEAD\tCHANNELS\n";
    for (const Hit& hit : hits) {
        std::string channels;
        for (const std::string& channel : hit.channels)
            channels += (channels.empty() ? "" : ",") + channel + (channel == hit.channel ? "*" : "");
        table +=
            fmt::format("{}\t{}\t{}\t{}\t{}\n", escape_controls(hit.package), hit.catalog, to_string(hit.olm),
                        hit.head.empty() ? "-" : escape_controls(hit.head), escape_controls(channels));
    }
    return table;
}

std::string versions_as_rows(std::span<const Hit> hits) {
    std::string table = "PACKAGE\tCATALOG\tOLM\tVERSION\tBUNDLE\tCHANNELS\tDEPRECATED\n";
    for (const Hit& hit : hits)
        for (const HitVersion& one : hit.versions)
            table += fmt::format(
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\n", escape_controls(hit.package), hit.catalog, to_string(hit.olm),
                one.version.empty() ? "-" : escape_controls(one.version), escape_controls(one.bundle),
                one.channels.empty() ? "-" : escape_controls(fmt::format("{}", fmt::join(one.channels, ","))),
                one.deprecated ? "yes" : "-");
    return table;
}

nlohmann::ordered_json hits_as_json(std::span<const Hit> hits, bool with_versions) {
    Json json{{"schema", "opcat.search.v1"}, {"packages", Json::array()}};
    for (const Hit& hit : hits) {
        json["packages"].push_back({{"package", hit.package},
                                    {"catalog", hit.catalog},
                                    {"olm", to_string(hit.olm)},
                                    {"defaultChannel", hit.channel},
                                    {"head", hit.head},
                                    {"displayName", hit.title},
                                    {"channels", hit.channels},
                                    {"deprecations", hit.deprecations}});
        if (!with_versions) continue;
        Json& versions = json["packages"].back()["versions"] = Json::array();
        for (const HitVersion& one : hit.versions)
            versions.push_back({{"version", one.version},
                                {"bundle", one.bundle},
                                {"channels", one.channels},
                                {"deprecated", one.deprecated}});
    }
    return json;
}

} // namespace opcat::cluster
