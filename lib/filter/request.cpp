#include "opcat/filter/request.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/filter/assemble.hpp"
#include "opcat/filter/entry_chain.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/olm/package_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>

namespace opcat {

std::string VersionBounds::range() const {
    std::string text;
    if (!least.empty()) text = ">=" + least;
    if (!most.empty()) text += (text.empty() ? "<=" : " <=") + most;
    return text;
}

namespace {

constexpr std::string_view image_set_rule = "image-set";

using Names = std::set<std::string_view>;

// The versions of a package's bundles, by name.
using Versions = std::unordered_map<std::string_view, semver::Version>;

// A minimum that exists only as a prerelease, which comes before it. Empty: it is not so.
std::string left_out_by_minimum(const Channel& channel, const VersionBounds& bounds,
                                const Versions& versions) {
    const auto least = semver::Version::parse_coercing(bounds.least);
    if (!least || !least->prerelease.empty()) return {};
    std::string text;
    for (const ChannelEntry& entry : channel.entries) {
        const auto at = versions.find(entry.name);
        if (at == versions.end()) continue;
        const semver::Version& version = at->second;
        if (version.major != least->major || version.minor != least->minor || version.patch != least->patch)
            continue;
        if (version.prerelease.empty()) return {};
        if (text.empty()) text = version.to_string();
    }
    if (text.empty()) return {};
    return fmt::format("minVersion {} leaves out {}, a prerelease, which comes before it: to keep it, write "
                       "minVersion: {}",
                       bounds.least, text, text);
}

class RequestFilter {
public:
    RequestFilter(const Catalog& catalog, const CatalogRequest& request, bool with_dependencies,
                  ThreadPool& pool)
        : catalog_(catalog), request_(request), with_dependencies_(with_dependencies), pool_(pool),
          packages_(index_packages(catalog)), storage_(std::make_shared<CatalogStorage>()) {
        storage_->arenas.emplace_back();
        for (const PackageIndex& package : packages_) by_name_.emplace(package.name, &package);
    }

    FilteredCatalog run() {
        if (request_.is_whole() && find_errors(catalog_, pool_).empty()) {
            result_.catalog = catalog_;
            result_.is_whole = true;
            return std::move(result_);
        }
        select();
        if (has_errors(result_.diagnostics)) return std::move(result_);
        if (with_dependencies_) add_dependencies();
        for (auto& [name, kept] : kept_)
            make_valid(kept, *by_name_.at(name), storage_->arenas.front(), result_.report.repairs);
        std::erase_if(kept_, [](const auto& kept) { return kept.second.channels.empty(); });
        result_.catalog = assemble(catalog_, kept_, storage_);
        if (result_.catalog.bundles.empty())
            add(error(image_set_rule, request_.where, why_nothing_is_left(),
                      "correct the names of packages and channels"));
        else
            result_.diagnostics.append(find_errors(result_.catalog, pool_));
        report();
        return std::move(result_);
    }

private:
    std::string why_nothing_is_left() const {
        const auto& named = request_.packages;
        const bool any_there =
            named.empty() || std::any_of(named.begin(), named.end(), [&](const auto& package) {
                return by_name_.contains(package.name);
            });
        return any_there ? "nothing of the catalog is left: what is selected has no version"
                         : "nothing of the catalog is left: it does not have any of the named packages";
    }

    void add(Diagnostic finding) { result_.diagnostics.push_back(std::move(finding)); }

    void select() {
        if (request_.packages.empty()) {
            for (const PackageIndex& package : packages_) select(package, {});
            return;
        }
        for (const RequestedPackage& wanted : request_.packages) {
            const auto found = by_name_.find(wanted.name);
            if (found != by_name_.end()) {
                select(*found->second, wanted);
                continue;
            }
            std::vector<std::string_view> known;
            for (const PackageIndex& package : packages_) known.push_back(package.name);
            add(warning(image_set_rule, wanted.where,
                        fmt::format("the catalog has no package {}, which is ignored", go_quote(wanted.name)),
                        did_you_mean(wanted.name, known)));
        }
    }

    void select(const PackageIndex& package, const RequestedPackage& wanted) {
        const auto versions = versions_of(package);
        if (!versions) return;
        KeptPackage kept;
        if (!package.packages.empty()) {
            kept.package = package.packages.front();
            kept.default_channel = kept.package->default_channel;
        }
        const std::string old_default = kept.default_channel;
        std::vector<std::pair<const Channel*, const RequestedChannel*>> channels =
            channels_of(package, wanted);
        if (!request_.packages.empty() && !choose_default_channel(kept, channels, wanted)) return;
        for (const auto& [channel, requested] : channels) {
            const VersionBounds& bounds =
                requested && !requested->versions.empty() ? requested->versions : wanted.versions;
            const auto names = select(*channel, bounds, *versions, old_default == channel->name, package);
            if (names) keep(*channel, *names, package, kept);
        }
        kept_.emplace(package.name, std::move(kept));
    }

    // oc-mirror reads the versions of all bundles of a package, and fails at one that it cannot read.
    std::optional<Versions> versions_of(const PackageIndex& package) {
        Versions versions;
        for (const Bundle* const bundle : package.bundles) {
            if (request_.is_whole()) break;
            const BundleVersion version = version_of(*bundle, false);
            if (!version) {
                add(error(image_set_rule, bundle->start(),
                          fmt::format("the version of bundle {} cannot be read: {}", bundle->name.text,
                                      version.error()),
                          "correct the catalog, or do not name its package"));
                return std::nullopt;
            }
            // Without BundleReleaseSupport, a release is build metadata.
            versions.emplace(bundle->name,
                             required(semver::Version::parse_coercing(version->to_legacy_string())));
        }
        return versions;
    }

    std::vector<std::pair<const Channel*, const RequestedChannel*>>
    channels_of(const PackageIndex& package, const RequestedPackage& wanted) {
        std::vector<std::pair<const Channel*, const RequestedChannel*>> channels;
        if (wanted.channels.empty())
            for (const Channel* const channel : package.channels) channels.emplace_back(channel, nullptr);
        for (const RequestedChannel& requested : wanted.channels) {
            bool found = false;
            for (const Channel* const channel : package.channels)
                if (channel->name == requested.name) {
                    channels.emplace_back(channel, &requested);
                    found = true;
                }
            if (!found)
                add(warning(image_set_rule, requested.where,
                            fmt::format("package {} has no channel {}, which is ignored", package.name,
                                        go_quote(requested.name)),
                            did_you_mean(requested.name, blob_names(package.channels))));
        }
        return channels;
    }

    // False: the request is refused.
    bool
    choose_default_channel(KeptPackage& kept,
                           const std::vector<std::pair<const Channel*, const RequestedChannel*>>& channels,
                           const RequestedPackage& wanted) {
        if (!wanted.default_channel.empty()) kept.default_channel = wanted.default_channel;
        if (kept.default_channel.empty()) return true;
        std::vector<std::string_view> names;
        names.reserve(channels.size());
        for (const auto& channel : channels) names.push_back(channel.first->name);
        if (std::find(names.begin(), names.end(), kept.default_channel) != names.end()) return true;
        const std::string choice =
            names.empty()
                ? "name a channel that the package has"
                : fmt::format("write defaultChannel: with one of the kept channels ({})", listed(names, 8));
        add(error(image_set_rule, wanted.where,
                  wanted.default_channel.empty()
                      ? fmt::format("the default channel {} of package {} is not among the kept channels",
                                    kept.default_channel, wanted.name)
                      : fmt::format("defaultChannel {} of package {} is not among the kept channels",
                                    kept.default_channel, wanted.name),
                  choice));
        return false;
    }

    // Nothing: the channel goes, or the request is refused.
    std::optional<Names> select(const Channel& channel, const VersionBounds& bounds, const Versions& versions,
                                bool was_default, const PackageIndex& package) {
        const auto refuse = [&](const std::string& message, const std::string& help) {
            add(error(image_set_rule, bounds.where ? bounds.where : request_.where,
                      fmt::format("channel {} of package {}: {}", channel.name.text, package.name, message),
                      help));
            return std::nullopt;
        };
        if (request_.full) {
            if (!bounds.empty())
                return refuse("full: true and bounds of versions contradict each other",
                              "remove full, or minVersion and maxVersion");
            Names all;
            for (const ChannelEntry& entry : channel.entries) all.insert(entry.name);
            return all;
        }
        Names names;
        if (bounds.is_pin()) {
            const std::string_view pinned = pinned_version(channel, bounds, versions, package);
            if (pinned.empty()) return std::nullopt;
            for (const ChannelEntry& entry : channel.entries)
                if (entry.name == pinned) names.insert(pinned);
        } else {
            const Parsed<EntryChain> chain = EntryChain::of(channel);
            if (!chain)
                return refuse(chain.error().message,
                              "name one version with minVersion and maxVersion, or keep all with full: true");
            if (bounds.empty()) return Names{chain->head()};
            const semver::Constraints range = required(semver::Constraints::parse(bounds.range()));
            names = chain->select([&](std::string_view name) {
                const auto at = versions.find(name);
                return at != versions.end() && range.check(at->second);
            });
        }
        const std::string left_out = bounds.least.empty() || bounds.is_pin()
                                         ? std::string()
                                         : left_out_by_minimum(channel, bounds, versions);
        if (!names.empty()) {
            if (!left_out.empty())
                add(warning(image_set_rule, bounds.where,
                            fmt::format("package {}: {}", package.name, left_out)));
            return names;
        }
        const std::string nothing = bounds.is_pin()
                                        ? fmt::format("it does not have version {}", bounds.least)
                                        : fmt::format("it has no version in the range {}", bounds.range());
        if (was_default)
            return refuse(
                nothing,
                !left_out.empty()
                    ? left_out
                    : "change the bounds, or name other channels, and one of them with defaultChannel");
        add(warning(
            image_set_rule, bounds.where,
            fmt::format("channel {} of package {} is dropped: {}", channel.name.text, package.name, nothing),
            left_out));
        return std::nullopt;
    }

    // The bundle of exactly this version; build metadata distinguishes only those of one precedence, and one
    // that the channel has is preferred. Empty: the request is refused.
    std::string_view pinned_version(const Channel& channel, const VersionBounds& bounds,
                                    const Versions& versions, const PackageIndex& package) {
        const semver::Version wanted = required(semver::Version::parse_coercing(bounds.least));
        std::string_view best;
        bool is_exact = false;
        const auto consider = [&](std::string_view name) {
            const auto at = versions.find(name);
            if (is_exact || at == versions.end() || !(at->second == wanted)) return;
            is_exact = at->second.build == wanted.build;
            if (is_exact || best.empty()) best = name;
        };
        for (const ChannelEntry& entry : channel.entries) consider(entry.name);
        for (const Bundle* const bundle : package.bundles) consider(bundle->name);
        if (best.empty())
            add(error(image_set_rule, bounds.where,
                      fmt::format("package {} has no version {}", package.name, bounds.least),
                      fmt::format("`opcat list bundles CATALOG -p {}` lists its versions", package.name)));
        return best;
    }

    static void keep(const Channel& channel, const Names& names, const PackageIndex& package,
                     KeptPackage& kept) {
        KeptChannel one{&channel, {}, false};
        std::copy_if(channel.entries.begin(), channel.entries.end(), std::back_inserter(one.entries),
                     [&](const ChannelEntry& entry) { return names.contains(entry.name); });
        one.changed = one.entries.size() != channel.entries.size();
        kept.channels.push_back(std::move(one));
        for (const std::string_view name : names)
            if (const auto bundle = package.bundle_by_name.find(name); bundle != package.bundle_by_name.end())
                kept.bundles.insert(bundle->second);
    }

    void add_dependencies() {
        Names names;
        for (const auto& [name, package] : kept_) names.insert(name);
        Dependencies dependencies = find_dependencies(catalog_, names, [&](const Bundle& bundle) {
            return kept_.at(bundle.package).bundles.contains(&bundle);
        });
        result_.report.missing_dependencies = std::move(dependencies.missing);
        for (const std::string_view name : dependencies.packages) {
            const auto [at, is_new] = kept_.try_emplace(name);
            if (!is_new) continue;
            const PackageIndex& package = *by_name_.at(name);
            dependencies_.insert(name);
            if (package.packages.empty()) continue;
            at->second.package = package.packages.front();
            at->second.default_channel = at->second.package->default_channel;
            for (const Channel* const channel : package.channels)
                at->second.channels.push_back(
                    {channel, {channel->entries.begin(), channel->entries.end()}, false});
            at->second.bundles.insert(package.bundles.begin(), package.bundles.end());
        }
    }

    void report() {
        for (const auto& [name, kept] : kept_)
            result_.report.kept.push_back(report_of(kept, *by_name_.at(name)));
        for (const PackageIndex& package : packages_)
            if (!package.name.empty() && !kept_.contains(package.name))
                result_.report.dropped_packages.emplace_back(package.name);
        std::sort(result_.report.dropped_packages.begin(), result_.report.dropped_packages.end());
    }

    FilteredPackage report_of(const KeptPackage& kept, const PackageIndex& package) const {
        FilteredPackage report;
        report.name = package.name;
        report.is_dependency = dependencies_.contains(package.name);
        report.old_default_channel = kept.package->default_channel;
        report.new_default_channel = kept.default_channel;
        report.versions = kept.bundles.size();
        for (const Bundle* const bundle : package.bundles)
            if (!kept.bundles.contains(bundle)) report.dropped_versions.emplace_back(bundle->name);
        for (const Channel* const channel : package.channels) {
            const auto at = std::find_if(kept.channels.begin(), kept.channels.end(),
                                         [&](const KeptChannel& one) { return one.channel == channel; });
            if (at == kept.channels.end()) {
                report.dropped_channels.emplace_back(channel->name);
                continue;
            }
            const auto old_chain = EntryChain::of(*channel);
            const auto new_chain = EntryChain::of(at->entries);
            const std::string before(old_chain ? old_chain->head() : std::string_view());
            const std::string after(new_chain ? new_chain->head() : std::string_view());
            if (before != after) report.channels.push_back({std::string(channel->name), before, after, {}});
        }
        return report;
    }

    const Catalog& catalog_;
    const CatalogRequest& request_;
    const bool with_dependencies_;
    ThreadPool& pool_;
    const std::vector<PackageIndex> packages_;
    std::map<std::string_view, const PackageIndex*> by_name_;
    std::shared_ptr<CatalogStorage> storage_;
    KeptPackages kept_;
    Names dependencies_;
    FilteredCatalog result_;
};

} // namespace

FilteredCatalog filter_catalog(const Catalog& catalog, const CatalogRequest& request, bool with_dependencies,
                               ThreadPool& pool) {
    return RequestFilter(catalog, request, with_dependencies, pool).run();
}

} // namespace opcat
