#include "opcat/base/listed.hpp"
#include "opcat/filter/assemble.hpp"
#include "opcat/olm/package_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

namespace opcat {
namespace {

constexpr size_t most_listed = 8; // names

// Returns true if opm accepts the order: one head, and every entry is skipped, or on the chain from there.
bool is_ordered(const std::vector<ChannelEntry>& entries) {
    std::unordered_map<std::string_view, const ChannelEntry*> left; // neither skipped nor on the chain
    std::set<std::string_view> named;
    for (const ChannelEntry& entry : entries) {
        left.emplace(entry.name, &entry);
        if (!entry.replaces.empty()) named.insert(entry.replaces);
        named.insert(entry.skips.begin(), entry.skips.end());
    }
    const ChannelEntry* head = nullptr;
    for (const ChannelEntry& entry : entries) {
        if (named.contains(entry.name)) continue;
        if (head) return false;
        head = &entry;
    }
    if (!head) return false;
    const auto all = left;
    for (auto at = all.find(head->name); at != all.end() && left.erase(at->first) > 0;)
        at = all.find(at->second->replaces);
    for (const ChannelEntry& entry : entries)
        for (const Text& skip : entry.skips) left.erase(skip);
    return left.empty();
}

class Repair {
public:
    Repair(KeptPackage& kept, const PackageIndex& package, Arena& arena)
        : kept_(kept), package_(package), arena_(arena) {}

    // Makes the package valid and returns a sentence for each change.
    std::vector<std::string> run() {
        if (!kept_.package) {
            kept_.channels.clear();
            return {"it has no olm.package blob, so it is dropped"};
        }
        drop_entries_without_bundle();
        drop_bundles_without_entry();
        drop_empty_channels();
        if (kept_.channels.empty()) return {"no channel of it has a version left, so it is dropped"};
        for (KeptChannel& channel : kept_.channels)
            if (!is_ordered(channel.entries)) order(channel);
        choose_default_channel();
        return std::move(done_);
    }

private:
    void drop_entries_without_bundle() {
        std::set<std::string_view> bundles;
        for (const Bundle* const bundle : kept_.bundles) bundles.insert(bundle->name);
        for (KeptChannel& channel : kept_.channels) {
            std::vector<std::string_view> dropped;
            std::erase_if(channel.entries, [&](const ChannelEntry& entry) {
                if (bundles.contains(entry.name)) return false;
                dropped.push_back(entry.name);
                return true;
            });
            if (dropped.empty()) continue;
            channel.changed = true;
            done_.push_back(fmt::format("channel {} loses {}, which has no bundle",
                                        channel.channel->name.text, listed(dropped, most_listed)));
        }
    }

    void drop_bundles_without_entry() {
        std::set<std::string_view> entries;
        for (const KeptChannel& channel : kept_.channels)
            for (const ChannelEntry& entry : channel.entries) entries.insert(entry.name);
        std::set<std::string_view> dropped;
        std::erase_if(kept_.bundles, [&](const Bundle* bundle) {
            if (entries.contains(bundle->name)) return false;
            dropped.insert(bundle->name);
            return true;
        });
        if (!dropped.empty())
            done_.push_back(
                fmt::format("it drops {}, which no kept channel has", listed(dropped, most_listed)));
    }

    void drop_empty_channels() {
        std::vector<std::string_view> dropped;
        std::erase_if(kept_.channels, [&](const KeptChannel& channel) {
            if (!channel.entries.empty()) return false;
            dropped.push_back(channel.channel->name);
            return true;
        });
        if (!dropped.empty())
            done_.push_back(
                fmt::format("it drops channel {}, which has no version left", listed(dropped, most_listed)));
    }

    using Height = std::tuple<bool, semver::Version, std::string_view>;

    // Returns the sort key of an entry: versions that cannot be read come first.
    Height height_of(const ChannelEntry& entry) const {
        const auto bundle = package_.bundle_by_name.find(entry.name);
        const auto version = bundle == package_.bundle_by_name.end() ? BundleVersion(std::string())
                                                                     : version_of(*bundle->second, false);
        return {bool(version), version ? version->version : semver::Version{}, entry.name};
    }

    ChannelEntry& highest(KeptChannel& channel) const {
        return *std::ranges::max_element(channel.entries, {},
                                         [&](const ChannelEntry& entry) { return height_of(entry); });
    }

    void set_skips(ChannelEntry& entry, const std::vector<Text>& skips) {
        entry.skips = arena_.copy(std::span<const Text>(skips));
    }

    void order(KeptChannel& channel) {
        std::unordered_map<std::string_view, const ChannelEntry*> by_name;
        for (const ChannelEntry& entry : channel.entries) by_name.emplace(entry.name, &entry);
        std::vector<std::pair<std::string_view, std::string_view>> removed;
        for (ChannelEntry& entry : channel.entries) {
            const auto is_not_lower = [&](std::string_view name) {
                const auto other = by_name.find(name);
                if (other == by_name.end() || height_of(*other->second) < height_of(entry)) return false;
                removed.emplace_back(entry.name, name);
                return true;
            };
            if (is_not_lower(entry.replaces)) entry.replaces = {};
            std::vector<Text> skips(entry.skips.begin(), entry.skips.end());
            if (std::erase_if(skips, is_not_lower) > 0) set_skips(entry, skips);
        }
        ChannelEntry& head = highest(channel);
        std::set<std::string_view> on_chain;
        for (auto at = by_name.find(head.name); at != by_name.end(); at = by_name.find(at->second->replaces))
            on_chain.insert(at->first);
        std::vector<Text> skips(head.skips.begin(), head.skips.end());
        std::set<std::string_view> all_skipped;
        for (const ChannelEntry& entry : channel.entries)
            all_skipped.insert(entry.skips.begin(), entry.skips.end());
        std::vector<std::string_view> skipped;
        for (const ChannelEntry& entry : channel.entries) {
            if (on_chain.contains(entry.name) || all_skipped.contains(entry.name)) continue;
            skips.push_back(entry.name);
            skipped.push_back(entry.name);
        }
        set_skips(head, skips);
        channel.changed = true;
        std::string text =
            fmt::format("channel {} has one head, {}", channel.channel->name.text, head.name.text);
        if (!skipped.empty()) text += fmt::format(", which now skips {}", listed(skipped, most_listed));
        if (!removed.empty())
            text += fmt::format(
                ", and no edge from {} to {}",
                listed(removed, most_listed, [](const auto& edge) { return std::string(edge.second); }),
                listed(removed, most_listed, [](const auto& edge) { return std::string(edge.first); }));
        done_.push_back(std::move(text));
    }

    void choose_default_channel() {
        const auto is_default = [&](const KeptChannel& channel) {
            return channel.channel->name == kept_.default_channel;
        };
        if (std::any_of(kept_.channels.begin(), kept_.channels.end(), is_default)) return;
        std::string_view best;
        std::optional<Height> height;
        for (KeptChannel& channel : kept_.channels) {
            const Height own = height_of(highest(channel));
            if (height && !(*height < own)) continue;
            height = own;
            best = channel.channel->name;
        }
        done_.push_back(
            fmt::format("its default channel is {}, as {} is not there", best, kept_.default_channel));
        kept_.default_channel = best;
    }

    KeptPackage& kept_;
    const PackageIndex& package_;
    Arena& arena_;
    std::vector<std::string> done_;
};

} // namespace

void make_valid(KeptPackage& kept, const PackageIndex& package, Arena& arena,
                std::vector<std::string>& repairs) {
    const std::vector<std::string> done = Repair(kept, package, arena).run();
    if (done.empty()) return;
    std::string text =
        fmt::format("{}: repaired, because what oc-mirror selects is not a valid catalog:", package.name);
    for (const std::string& one : done) text += (&one == &done.front() ? " " : "; ") + one;
    repairs.push_back(std::move(text));
}

} // namespace opcat
