#include "opcat/base/listed.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/installed_name.hpp"
#include "opcat/lint/checks.hpp"
#include "opcat/lint/edge_names.hpp"
#include "opcat/olm/classic_rules.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace opcat {
namespace {

std::string names_of(std::span<const ChannelEntry* const> entries) {
    return listed(entries, 5, [](const ChannelEntry* entry) { return entry->name.text; });
}

class GraphCheck {
public:
    GraphCheck(const Channel& channel, EdgeNames& bundles, Diagnostics& out)
        : channel_(channel), bundles_(bundles), out_(out), names_(names_in(channel)),
          order_(names_.order(ChannelOrder::Namesakes::all)), chain_(names_.nodes.size()) {}

    void run() {
        check_names();
        const ChannelEntry* const head = find_head();
        if (!head || !walk_from(*head)) return;
        check_stranded();
        check_absent_replaces();
    }

private:
    static NamedEntries names_in(const Channel& channel) {
        NamedEntries names;
        for (const ChannelEntry& entry : channel.entries) names.add(entry.name, entry.replaces, entry.skips);
        return names;
    }

    // Names that nobody can have installed.
    void check_names() {
        for (const ChannelEntry& entry : channel_.entries) {
            check_name(entry, entry.replaces, "replaces");
            for (const Text& skip : entry.skips) check_name(entry, skip, "skips");
        }
    }

    void check_name(const ChannelEntry& entry, const Text& named, std::string_view edge) {
        if (named.empty()) return;
        const Location where = channel_.at(named);
        if (named.text == entry.name.text) {
            out_.push_back(warning("edge-itself", where, fmt::format("{} {} itself", named.text, edge),
                                   edge == "replaces" ? "name the version before it, or remove the field"
                                                      : "remove the name"));
        } else {
            if (bundles_.has(named) || find(named.text)) return;
            const std::string_view meant = bundles_.meant_by(named);
            if (meant.empty() || meant == entry.name.text) return;
            out_.push_back(with_name(warning("edge-name", where,
                                             fmt::format("{} {} {}, which the package does not have",
                                                         entry.name.text, edge, named.text),
                                             fmt::format("did you mean {}?", meant)),
                                     where, named, meant, FixEffect::text, false));
            misspelt_.insert(&entry);
        }
        out_.back().explains.upgrades = true;
    }

    // As in opm, the last of several entries of one name is the one that counts; each of them is an error
    // anyway.
    const ChannelEntry* find(NodeId name) const {
        const uint32_t place = name == no_node ? no_node : order_.last_entry(name);
        return place == no_node ? nullptr : &channel_.entries[place];
    }
    const ChannelEntry* find(std::string_view name) const { return find(names_.find(name)); }
    bool is_skipped(std::string_view name) const {
        const NodeId node = names_.find(name);
        return node != no_node && order_.is_skipped(node);
    }

    const ChannelEntry* find_head() const {
        std::vector<const ChannelEntry*> heads;
        for (const uint32_t place : order_.heads())
            if (order_.last_entry(names_.entries[place].node) == place)
                heads.push_back(&channel_.entries[place]);
        if (heads.size() == 1) return heads.front();
        if (heads.empty()) {
            const std::vector<const ChannelEntry*> cycle = find_cycle();
            const ChannelEntry* const backwards = find_backwards(cycle);
            Diagnostic d =
                error("channel-head", channel_.at(backwards ? backwards->replaces : channel_.name),
                      fmt::format("channel \"{}\" has no head: every entry is replaced or skipped by another",
                                  channel_.name.text),
                      "one entry must be the newest: let nothing replace or skip it");
            d.explains.upgrades = backwards != nullptr;
            if (!cycle.empty())
                d.notes.push_back({cycle.size() == 1
                                       ? fmt::format("{} replaces or skips itself", cycle[0]->name.text)
                                       : fmt::format("they replace each other in a circle: {}; the first one",
                                                     names_of(cycle)),
                                   channel_.at(cycle.front()->name)});
            out_.push_back(std::move(d));
            return nullptr;
        }
        const ChannelEntry* const broken = find_broken(*heads.front(), *heads.back());
        const std::string all =
            fmt::format("channel \"{}\" has {} heads: {}", channel_.name.text,
                        heads.size() == 2 ? "two" : std::to_string(heads.size()), names_of(heads));
        Diagnostic d =
            broken ? error("channel-heads", channel_.at(broken->replaces),
                           fmt::format("{} replaces {}, which is not an entry, so that {}", broken->name.text,
                                       broken->replaces.text, all),
                           fmt::format("let {} replace {}, or correct the name", broken->name.text,
                                       heads.front()->name.text))
                   : error("channel-heads", channel_.at(heads.back()->name), all,
                           fmt::format("let {} replace or skip {}, or move one of them to another channel",
                                       heads.back()->name.text, heads.front()->name.text));
        for (size_t i = 0; i + 1 < std::min<size_t>(heads.size(), 6); ++i)
            d.notes.push_back(
                {fmt::format("one head is {}", heads[i]->name.text), channel_.at(heads[i]->name)});
        out_.push_back(std::move(d));
        return nullptr;
    }

    static std::optional<semver::Version> version_of(std::string_view name) {
        auto version = semver::Version::parse(version_in_name(name));
        return version ? std::optional(*std::move(version)) : std::nullopt;
    }

    // The end of the newer head's chain, if it replaces a missing version that is newer than the other head:
    // the chain should lead on to that.
    const ChannelEntry* find_broken(const ChannelEntry& other, const ChannelEntry& head) const {
        const ChannelEntry* at = &head;
        for (size_t steps = 0; steps < channel_.entries.size() && find(at->replaces); ++steps)
            at = find(at->replaces);
        if (at->replaces.empty() || find(at->replaces)) return nullptr;
        const auto missing = version_of(at->replaces);
        const auto version = version_of(other.name);
        return missing && version && *version < *missing ? at : nullptr;
    }

    // The entry of a cycle that replaces a newer one.
    static const ChannelEntry* find_backwards(const std::vector<const ChannelEntry*>& cycle) {
        for (const ChannelEntry* entry : cycle) {
            const auto version = version_of(entry->name);
            const auto replaced = version_of(entry->replaces);
            if (version && replaced && *version < *replaced) return entry;
        }
        return nullptr;
    }

    // Some circle of `replaces` (or of an entry with itself), if there is one.
    std::vector<const ChannelEntry*> find_cycle() const {
        for (const ChannelEntry& entry : channel_.entries)
            if (entry.replaces == entry.name.text ||
                std::any_of(entry.skips.begin(), entry.skips.end(),
                            [&](const Text& skip) { return skip == entry.name.text; }))
                return {&entry};
        std::unordered_map<const ChannelEntry*, size_t> visited_in; // the number of the walk that came by
        size_t walk = 0;
        for (const ChannelEntry& start : channel_.entries) {
            ++walk;
            std::vector<const ChannelEntry*> path;
            const ChannelEntry* at = find(start.name);
            while (at && visited_in.try_emplace(at, walk).second) {
                path.push_back(at);
                at = find(at->replaces);
            }
            if (!at || visited_in[at] != walk) continue;
            path.erase(path.begin(), std::find(path.begin(), path.end(), at));
            return path;
        }
        return {};
    }

    // Follows `replaces` from the head; a replaced entry that something skips ends the chain.
    bool walk_from(const ChannelEntry& head) {
        chain_[names_.find(head.name)] = true;
        const ChannelEntry* current = &head;
        while (!is_skipped(current->replaces)) {
            const NodeId replaced = names_.find(current->replaces);
            if (replaced != no_node && chain_[replaced]) {
                out_.push_back(with_note(
                    error(
                        "channel-cycle", channel_.at(current->replaces),
                        fmt::format(
                            "{} replaces {}, which leads back to it: the chain of channel \"{}\" is a circle",
                            current->name.text, current->replaces.text, channel_.name.text),
                        "let the oldest entry replace nothing in this channel"),
                    fmt::format("the entry {}", current->replaces.text), channel_.at(find(replaced)->name)));
                out_.back().explains.upgrades = true;
                return false;
            }
            tail_ = current;
            if (!find(replaced)) return true;
            chain_[replaced] = true;
            current = find(replaced);
        }
        tail_ = current;
        return true;
    }

    void check_stranded() const {
        std::vector<const ChannelEntry*> stranded;
        for (const ChannelEntry& entry : channel_.entries)
            if (!chain_[names_.find(entry.name)] && !is_skipped(entry.name)) stranded.push_back(&entry);
        if (stranded.empty()) return;
        const bool one = stranded.size() == 1;
        Diagnostic d = error(
            "channel-stranded", channel_.at(stranded.front()->name),
            fmt::format("{} of channel \"{}\" {} no upgrade path to the head: the chain of replaces does not "
                        "reach {}, and nothing skips {}",
                        names_of(stranded), channel_.name.text, one ? "has" : "have", one ? "it" : "them",
                        one ? "it" : "them"),
            fmt::format("let an entry of the chain replace or skip {}", stranded.front()->name.text));
        if (tail_ && !tail_->replaces.empty())
            d.notes.push_back(
                {is_skipped(tail_->replaces)
                     ? fmt::format("the chain ends where {} replaces {}, which is skipped,", tail_->name.text,
                                   tail_->replaces.text)
                     : fmt::format("the chain ends where {} replaces {}, which is not an entry,",
                                   tail_->name.text, tail_->replaces.text),
                 channel_.at(tail_->replaces)});
        out_.push_back(std::move(d));
    }

    void check_absent_replaces() const {
        for (const ChannelEntry& entry : channel_.entries) {
            if (entry.replaces.empty() || find(entry.replaces) || &entry == tail_ ||
                misspelt_.contains(&entry))
                continue;
            out_.push_back(warning("replaces-absent", channel_.at(entry.replaces),
                                   fmt::format("{} replaces {}, which is not an entry of channel \"{}\"",
                                               entry.name.text, entry.replaces.text, channel_.name.text),
                                   "only the end of the chain may replace something that is not there: "
                                   "correct the name, or remove the field"));
        }
    }

    const Channel& channel_;
    EdgeNames& bundles_;
    Diagnostics& out_;
    std::unordered_set<const ChannelEntry*> misspelt_; // one of their names is reported
    NamedEntries names_;
    ChannelOrder order_;
    std::vector<bool> chain_; // by name
    const ChannelEntry* tail_ = nullptr;
};

} // namespace

void check_upgrade_graphs(const PackageIndex& package, Diagnostics& out) {
    EdgeNames bundles(package);
    for (const Channel* channel : package.channels)
        if (!channel->entries.empty()) GraphCheck(*channel, bundles, out).run();
}

} // namespace opcat
