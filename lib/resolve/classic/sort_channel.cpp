#include "base/go_quote.hpp"
#include "olm/classic_rules.hpp"
#include "resolve/classic/finder.hpp"

#include <fmt/core.h>

namespace opcat::classic {
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
