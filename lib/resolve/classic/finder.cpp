#include "opcat/resolve/classic/finder.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/olm/classic_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace opcat::classic {

Finder::Finder(std::shared_ptr<const Snapshot> existing,
               std::vector<std::shared_ptr<const Snapshot>> catalogs)
    : existing_(std::move(existing)), catalogs_(std::move(catalogs)) {
    for (const auto& snapshot : catalogs_)
        for (const Entry& entry : snapshot->entries)
            channels_[{snapshot.get(), {entry.package, entry.channel}}].push_back(&entry);
}

const Snapshot* Finder::find(const CatalogKey& key) const {
    if (existing_->key == key) return existing_.get();
    for (const auto& snapshot : catalogs_)
        if (snapshot->key == key) return snapshot.get();
    return nullptr;
}

std::vector<const Snapshot*> Finder::subscribed(const CatalogKey& key) const {
    std::vector<const Snapshot*> found;
    if (!key.name.empty() || !key.ns.empty()) {
        if (const Snapshot* snapshot = find(key)) found.push_back(snapshot);
        return found;
    }
    found.push_back(existing_.get());
    for (const auto& snapshot : catalogs_) found.push_back(snapshot.get());
    std::stable_sort(found.begin(), found.end(), [](const Snapshot* a, const Snapshot* b) {
        return std::tie(b->priority, a->key.name) < std::tie(a->priority, b->key.name);
    });
    return found;
}

std::vector<const Snapshot*> Finder::by_preference(const Snapshot& from) const {
    std::vector<const Snapshot*> order;
    for (const auto& snapshot : catalogs_) order.push_back(snapshot.get());
    const auto rank = [&](const Snapshot* s) {
        return std::make_tuple(s != &from, -s->priority, s->key.ns != existing_->key.ns,
                               std::string_view(s->key.name));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const Snapshot* a, const Snapshot* b) { return rank(a) < rank(b); });
    return order;
}

SortedEntries Finder::candidates(const Predicate& predicate, const Snapshot& from) {
    SortedEntries found = existing_candidates(predicate);
    if (!found) return found;
    Entries all = *std::move(found);
    for (const Snapshot* snapshot : by_preference(from)) {
        SortedEntries more = catalog_candidates(predicate, *snapshot);
        if (!more) return more;
        all.insert(all.end(), more->begin(), more->end());
    }
    return all;
}

SortedEntries Finder::existing_candidates(const Predicate& predicate) {
    // Operators that the resolver cannot distinguish by their source count as one: the first.
    std::set<std::pair<std::string_view, const Subscription*>> seen;
    std::map<std::string_view, Entries> by_package;
    for (const Entry& entry : existing_->entries)
        if (tester_.holds(predicate, entry) && seen.emplace(entry.package, entry.subscription).second)
            by_package[entry.package].push_back(&entry);
    Entries all;
    for (const auto& [package, entries] : by_package) {
        SortedEntries sorted = sort_channel(entries);
        if (!sorted) return sorted;
        all.insert(all.end(), sorted->begin(), sorted->end());
    }
    return all;
}

SortedEntries Finder::catalog_candidates(const Predicate& predicate, const Snapshot& snapshot) {
    // A channel takes part as soon as one of its entries fits, and its order is that of all of them.
    std::set<std::tuple<bool, std::string_view, std::string_view>> channels;
    for (const uint32_t position : matching(predicate, snapshot)) {
        const Entry& entry = snapshot.entries[position];
        channels.emplace(!entry.default_channel, entry.package, entry.channel);
    }
    Entries all;
    for (const auto& [not_default, package, channel] : channels) {
        const SortedEntries& sorted = sorted_channel(snapshot, {package, channel});
        if (!sorted) return sorted.error();
        std::copy_if(sorted->begin(), sorted->end(), std::back_inserter(all),
                     [&](const Entry* entry) { return tester_.holds(predicate, *entry); });
    }
    return all;
}

std::vector<uint32_t> Finder::matching(const Predicate& predicate, const Snapshot& snapshot) {
    static const std::vector<uint32_t> nothing;
    const std::vector<uint32_t>* narrowed = nullptr;
    const auto narrow = [&](const Predicate& p) {
        if (p.kind == Predicate::Kind::api) {
            const auto found = snapshot.by_gvk.find(Snapshot::key_of(p.gvk));
            narrowed = found == snapshot.by_gvk.end() ? &nothing : &found->second;
        } else if (p.kind == Predicate::Kind::package) {
            const auto found = snapshot.by_package.find(p.package);
            narrowed = found == snapshot.by_package.end() ? &nothing : &found->second;
        }
    };
    narrow(predicate);
    if (predicate.kind == Predicate::Kind::all)
        for (const Predicate& member : predicate.members) narrow(member);
    std::vector<uint32_t> found;
    if (narrowed) {
        for (const uint32_t position : *narrowed)
            if (tester_.holds(predicate, snapshot.entries[position])) found.push_back(position);
        return found;
    }
    for (uint32_t i = 0; i < snapshot.entries.size(); ++i)
        if (tester_.holds(predicate, snapshot.entries[i])) found.push_back(i);
    return found;
}

const SortedEntries& Finder::sorted_channel(const Snapshot& snapshot, const ChannelKey& key) {
    const auto found = sorted_.find({&snapshot, key});
    if (found != sorted_.end()) return found->second;
    const Entries& entries = channels_.at({&snapshot, key});
    return sorted_.emplace(std::make_pair(&snapshot, key), sort_channel(entries)).first->second;
}

Entries Finder::named(const Snapshot& snapshot, std::string_view name, std::string_view channel) {
    Entries found;
    const auto positions = snapshot.by_name.find(name);
    if (positions == snapshot.by_name.end()) return found;
    for (const uint32_t position : positions->second) {
        const Entry& entry = snapshot.entries[position];
        if (channel.empty() || entry.channel == channel) found.push_back(&entry);
    }
    return found;
}

namespace {

std::string describe(const Entries& chain) {
    if (chain.empty()) return "[]";
    if (chain.size() == 1) return std::string(chain[0]->name);
    return fmt::format("{}...{}", chain.front()->name, chain.back()->name);
}

} // namespace

SortedEntries sort_channel(std::span<const Entry* const> entries) {
    if (entries.empty()) return Entries();
    const std::string channel = fmt::format("in channel {} of package {}", go_quote(entries[0]->channel),
                                            go_quote(entries[0]->package));
    NamedEntries named;
    for (const Entry* entry : entries) named.add(entry->name, entry->replaces, entry->skips);
    // From several catalogs there may be entries of one name.
    const ChannelOrder order = named.order(ChannelOrder::Namesakes::last);
    std::vector<Entries> chains;
    for (const uint32_t head : order.heads()) {
        const ChannelOrder::Chain chain = order.chain_from(head);
        if (chain.is_cycle)
            return fmt::format("a cycle exists in the chain of replacement beginning with {} {}",
                               go_quote(entries[head]->name), channel);
        Entries& sorted = chains.emplace_back();
        for (const uint32_t place : chain.places) sorted.push_back(entries[place]);
    }
    if (chains.empty())
        return fmt::format("no channel heads (entries not replaced by another entry) found {}", channel);
    if (chains.size() == 1) return std::move(chains[0]);
    std::string list;
    for (const Entries& chain : chains) list += (list.empty() ? "" : ", ") + describe(chain);
    return fmt::format(
        "a unique replacement chain within a channel is required to determine the relative order "
        "between channel entries, but {} replacement chains were found {}: {}",
        chains.size(), channel, list);
}

} // namespace opcat::classic
