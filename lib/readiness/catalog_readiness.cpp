#include "opcat/base/work.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/graph/definition_changes.hpp"
#include "opcat/kube/object.hpp"
#include "opcat/olm/v1_rules.hpp"
#include "opcat/readiness/readiness.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace opcat::readiness {
namespace {

using olmv1::OlmRelease;
using Json = nlohmann::ordered_json;

// The best of those that fit; nullptr: there is none.
template <typename Fits>
const PackageBundle* preferred(const PackageGraph& graph, bool release_support, Fits fits) {
    const PackageBundle* best = nullptr;
    for (const PackageBundle& bundle : graph.bundles)
        if (fits(bundle) && (!best || v1_prefers(bundle, *best, release_support))) best = &bundle;
    return best;
}

// Consecutive versions of a package, of which the earlier one has manifests.
using Upgrades = std::vector<std::pair<NodeId, NodeId>>;

uint64_t manifest_bytes(const Bundle& bundle) {
    uint64_t bytes = 0;
    for (const Property& property : bundle.properties)
        if (property.type == property_type::bundle_object && property.value)
            bytes += kube::Fields(*property.value).text("data").size();
    return bytes;
}

// Nothing if comparing them would take more work than is left: a bundle can be the predecessor of many.
std::optional<Upgrades> upgrades_of(const PackageGraph& graph, Work& work) {
    constexpr uint64_t bytes_in_step = 4;
    std::vector<uint64_t> bytes(graph.nodes.size());
    for (size_t i = 0; i < bytes.size(); ++i)
        if (graph.nodes[i].bundle) bytes[i] = manifest_bytes(*graph.nodes[i].bundle);
    Upgrades upgrades;
    std::set<std::pair<NodeId, NodeId>> seen;
    for (const ChannelGraph& channel : graph.channels)
        for (const GraphEntry& entry : channel.entries) {
            const NodeId from = predecessor_of(graph, channel, entry);
            if (from == no_node || bytes[from] == 0 || bytes[entry.node] == 0) continue;
            if (!seen.emplace(from, entry.node).second) continue;
            if (!work.take((bytes[from] + bytes[entry.node]) / bytes_in_step)) return std::nullopt;
            upgrades.emplace_back(from, entry.node);
        }
    return upgrades;
}

constexpr size_t most_changes = 100; // of a definition

std::vector<UnsafeUpgrade> unsafe_among(const Upgrades& upgrades, const PackageGraph& graph) {
    std::vector<UnsafeUpgrade> found;
    for (const auto& [from, to] : upgrades) {
        const Bundle& before = *graph.nodes[from].bundle;
        const Bundle& after = *graph.nodes[to].bundle;
        for (UnsafeDefinition& unsafe : unsafe_definitions(definitions_of(before), definitions_of(after))) {
            const size_t kept = std::min(unsafe.changes.size(), most_changes);
            const size_t more = unsafe.changes.size() - kept;
            unsafe.changes.resize(kept);
            found.push_back({&before, &after, std::move(unsafe.name), std::move(unsafe.changes), more,
                             std::move(unsafe.unknown)});
        }
    }
    return found;
}

PackageReadiness judge(const PackageGraph& graph, const OlmRelease& release) {
    PackageReadiness result{.package = &graph, .bundles = {}, .channels = {}};
    std::vector<const PackageBundle*> chosen;
    const auto choose = [&](const PackageBundle* bundle) {
        const auto known = std::find(chosen.begin(), chosen.end(), bundle);
        if (known != chosen.end()) return static_cast<size_t>(known - chosen.begin());
        chosen.push_back(bundle);
        result.bundles.push_back(readiness_of(*bundle->bundle, release));
        return chosen.size() - 1;
    };
    const bool release_support = release.supports_bundle_releases();
    const PackageBundle* const overall = choice_of_v1(graph, release);
    if (!overall) return result;
    choose(overall);
    for (const ChannelGraph& channel : graph.channels)
        if (const PackageBundle* const best =
                preferred(graph, release_support,
                          [&](const PackageBundle& bundle) { return channel.find(bundle.node) != nullptr; }))
            result.channels.push_back({channel.name, choose(best)});
    return result;
}

using Kind = std::pair<std::string, std::string>; // group and kind

std::set<Kind> kinds_of(const Bundle& bundle) {
    std::set<Kind> kinds;
    for (const Property& property : bundle.properties)
        if (property.type == property_type::gvk && property.value && property.value->is_object())
            if (const auto text =
                    [&](std::string_view key) {
                        const Value* const value = property.value->find(key);
                        return std::string(value ? value->string_or_empty() : std::string_view());
                    };
                !text("kind").empty())
                kinds.emplace(text("group"), text("kind"));
    return kinds;
}

constexpr size_t most_named = 5;

// "shop, store and 3 more", without the package `but`.
std::string names_of(const std::vector<size_t>& owners, size_t but,
                     const std::vector<PackageReadiness>& packages) {
    std::vector<std::string_view> named;
    for (const size_t owner : owners) {
        if (named.size() == most_named) break;
        if (owner != but) named.push_back(packages[owner].package->name);
    }
    const size_t more = owners.size() - 1 - named.size();
    return fmt::format("{}{}", fmt::join(named, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

// A cluster has one definition of a kind, and OLM v1 does not share it.
void add_shared_kinds(std::vector<PackageReadiness>& packages) {
    std::map<Kind, std::vector<size_t>> owners;
    for (size_t i = 0; i < packages.size(); ++i)
        if (!packages[i].bundles.empty())
            for (const Kind& kind : kinds_of(*packages[i].bundles.front().bundle)) owners[kind].push_back(i);
    std::map<std::vector<size_t>, std::vector<const Kind*>> shared;
    for (const auto& [kind, of] : owners)
        if (of.size() > 1) shared[of].push_back(&kind);
    for (const auto& [of, kinds] : shared) {
        const auto& [group, kind] = *kinds.front();
        const std::string what =
            fmt::format("{}{}{}", kind, group.empty() ? "" : "." + group,
                        kinds.size() > 1 ? fmt::format(" and {} more kinds", kinds.size() - 1) : "");
        for (const size_t owner : of)
            packages[owner].bundles.front().reasons.push_back(
                {.rule = "v1-shared-kind",
                 .message =
                     fmt::format("it brings {}, as {} {}: only one of them can be installed on a cluster",
                                 what, names_of(of, owner, packages), of.size() > 2 ? "do" : "does"),
                 .since = {}});
    }
}

Json json_of(const BundleReadiness& bundle) {
    Json json{{"name", bundle.bundle->name.text}, {"verdict", to_string(bundle.verdict)}};
    if (!bundle.configuration.empty()) json["configuration"] = bundle.configuration;
    json["reasons"] = Json::array();
    for (const Reason& reason : bundle.reasons) {
        Json one{
            {"rule", reason.rule}, {"severity", to_string(reason.severity)}, {"message", reason.message}};
        if (!reason.since.empty()) one["since"] = reason.since;
        json["reasons"].push_back(std::move(one));
    }
    json["notChecked"] = bundle.not_checked;
    return json;
}

} // namespace

const PackageBundle* choice_of_v1(const PackageGraph& graph, const OlmRelease& release) {
    return preferred(graph, release.supports_bundle_releases(), [](const PackageBundle&) { return true; });
}

std::vector<PackageReadiness> readiness_of(const UpgradeGraph& graph, const OlmRelease& release,
                                           ThreadPool& pool) {
    std::vector<PackageReadiness> packages(graph.packages.size());
    std::vector<std::optional<Upgrades>> upgrades;
    Work work;
    for (const PackageGraph& package : graph.packages) upgrades.push_back(upgrades_of(package, work));
    pool.for_each(packages.size(), [&](size_t i) {
        packages[i] = judge(graph.packages[i], release);
        packages[i].compares_upgrades = upgrades[i].has_value();
        if (upgrades[i]) packages[i].unsafe_upgrades = unsafe_among(*upgrades[i], graph.packages[i]);
    });
    add_shared_kinds(packages);
    return packages;
}

namespace {

std::string changes_in_words(const UnsafeUpgrade& upgrade) {
    const size_t named = std::min(upgrade.changes.size(), most_named);
    const size_t more = upgrade.changes.size() - named + upgrade.more_changes;
    return fmt::format("{}{}", fmt::join(std::span(upgrade.changes).first(named), ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

Diagnostic finding_for(const UnsafeUpgrade& upgrade, const OlmRelease& release) {
    constexpr std::string_view rule = "v1-crd-upgrade";
    const Location where = upgrade.to->at(upgrade.to->name);
    if (upgrade.changes.empty())
        return finding(Severity::warning, rule, where,
                       fmt::format("it is not known whether OLM v1 upgrades {} to {}: definition {}: {}",
                                   upgrade.from->name.text, upgrade.to->name.text, upgrade.definition,
                                   upgrade.unknown));
    Diagnostic found = finding(Severity::error, rule, where,
                               fmt::format("{} does not upgrade {} to {}: definition {}: {}",
                                           release.describe(), upgrade.from->name.text, upgrade.to->name.text,
                                           upgrade.definition, changes_in_words(upgrade)));
    found.notes.push_back({"unless spec.install.preflight.crdUpgradeSafety.enforcement of the "
                           "ClusterExtension is None",
                           {}});
    return found;
}

Location location_of(const PackageReadiness& package) {
    const Bundle& first = *package.package->bundles.front().bundle;
    return first.at(first.name);
}

Json json_of(const UnsafeUpgrade& upgrade) {
    Json json{{"from", upgrade.from->name.text},
              {"to", upgrade.to->name.text},
              {"definition", upgrade.definition},
              {"changes", upgrade.changes}};
    if (upgrade.more_changes > 0) json["moreChanges"] = upgrade.more_changes;
    if (!upgrade.unknown.empty()) json["unknown"] = upgrade.unknown;
    return json;
}

} // namespace

Diagnostics findings_of(const std::vector<PackageReadiness>& packages, const OlmRelease& release) {
    Diagnostics findings;
    for (const PackageReadiness& package : packages) {
        if (!package.compares_upgrades)
            findings.push_back(
                finding(Severity::warning, "v1-crd-upgrade", location_of(package),
                        fmt::format("the definitions of {} are not compared: that would take more than {} "
                                    "steps [limit]",
                                    package.package->name, Work::most)));
        for (const UnsafeUpgrade& upgrade : package.unsafe_upgrades)
            findings.push_back(finding_for(upgrade, release));
        for (const BundleReadiness& bundle : package.bundles) {
            const Location blob = bundle.bundle->at(bundle.bundle->name);
            for (const Reason& reason : bundle.reasons) {
                std::string message = reason.severity == Severity::error
                                          ? fmt::format("{} does not install {}: {}", release.describe(),
                                                        bundle.bundle->name.text, reason.message)
                                          : fmt::format("{}: {}", bundle.bundle->name.text, reason.message);
                Diagnostic found = finding(reason.severity, reason.rule, reason.where ? reason.where : blob,
                                           std::move(message));
                if (!reason.since.empty()) found.notes.push_back({reason.since, {}});
                findings.push_back(std::move(found));
            }
        }
    }
    return findings;
}

std::map<std::string_view, size_t> not_checked_in(const std::vector<PackageReadiness>& packages) {
    std::map<std::string_view, size_t> counts;
    for (const PackageReadiness& package : packages)
        for (const BundleReadiness& bundle : package.bundles)
            for (const std::string_view what : bundle.not_checked) ++counts[what];
    return counts;
}

Json as_json(const std::vector<PackageReadiness>& packages, const OlmRelease& release) {
    Json document{{"schema", "opcat.readiness.v1"},
                  {"release", release.version()},
                  {"featureSet", release.feature_set()},
                  {"packages", Json::array()}};
    for (const PackageReadiness& package : packages) {
        Json one{{"name", package.package->name}, {"bundles", Json::array()}, {"channels", Json::array()}};
        for (const BundleReadiness& bundle : package.bundles) one["bundles"].push_back(json_of(bundle));
        for (const ChannelChoice& choice : package.channels)
            one["channels"].push_back(
                {{"name", choice.channel}, {"bundle", package.bundles[choice.bundle].bundle->name.text}});
        for (const UnsafeUpgrade& upgrade : package.unsafe_upgrades)
            one["unsafeUpgrades"].push_back(json_of(upgrade));
        if (!package.compares_upgrades) one["upgradesCompared"] = false;
        document["packages"].push_back(std::move(one));
    }
    return document;
}

} // namespace opcat::readiness
