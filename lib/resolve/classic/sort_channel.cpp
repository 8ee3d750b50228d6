#include "base/go_quote.hpp"
#include "resolve/classic/finder.hpp"

#include <fmt/core.h>

#include <iterator>
#include <set>

namespace opcat::classic {
namespace {

// Who replaces and skips whom, as positions in a list of entries. A name may be there twice, from two
// catalogs: then the last one is replaced, but all of them are skipped.
struct Links {
    explicit Links(std::span<const Entry* const> entries)
        : replaces(entries.size(), none), replaced(entries.size()) {
        std::unordered_map<std::string_view, size_t> positions;
        for (size_t i = 0; i < entries.size(); ++i) positions[entries[i]->name] = i;
        for (size_t i = 0; i < entries.size(); ++i) {
            if (!entries[i]->replaces.empty()) {
                if (const auto found = positions.find(entries[i]->replaces); found != positions.end()) {
                    replaces[i] = found->second;
                    replaced[found->second] = true;
                }
            }
            for (const Text& skip : entries[i]->skips) {
                const auto found = positions.find(skip.text);
                if (found == positions.end()) continue;
                replaced[found->second] = true;
                skipped.insert(skip.text);
            }
        }
    }

    static constexpr size_t none = SIZE_MAX;
    std::vector<size_t> replaces;
    std::vector<bool> replaced;
    std::set<std::string_view> skipped;
};

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
    const Links links(entries);
    std::vector<Entries> chains;
    for (size_t head = 0; head < entries.size(); ++head) {
        if (links.replaced[head]) continue;
        Entries chain;
        std::vector<bool> visited(entries.size());
        for (size_t at = head; at != Links::none; at = links.replaces[at]) {
            if (visited[at])
                return fmt::format("a cycle exists in the chain of replacement beginning with {} {}",
                                   go_quote(entries[head]->name), channel);
            visited[at] = true;
            if (!links.skipped.contains(entries[at]->name)) chain.push_back(entries[at]);
        }
        chains.push_back(std::move(chain));
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
