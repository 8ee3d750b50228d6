#include "opcat/filter/entry_chain.hpp"

#include "opcat/base/listed.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace opcat {
namespace {

using EntriesByName = std::unordered_map<std::string_view, const ChannelEntry*>;
using EntrySources = std::unordered_map<std::string_view, std::unordered_set<std::string_view>>;

template <class Visit>
void for_each_target(const ChannelEntry& entry, const Visit& visit) {
    if (!entry.replaces.empty()) visit(entry.replaces.text);
    for (const Text& skip : entry.skips) visit(skip.text);
}

// Returns true if every name is reached from the head after all that lead to it. Linear.
bool has_cycle(std::string_view head, const EntriesByName& entries, EntrySources sources) {
    std::vector<std::string_view> queue{head};
    for (size_t i = 0; i < queue.size(); ++i) {
        const auto entry = entries.find(queue[i]);
        if (entry == entries.end()) continue;
        for_each_target(*entry->second, [&](std::string_view target) {
            const auto at = sources.find(target);
            if (at == sources.end()) return;
            at->second.erase(entry->first);
            if (!at->second.empty()) return;
            sources.erase(at);
            queue.push_back(target);
        });
    }
    return !sources.empty();
}

} // namespace

Parsed<EntryChain> EntryChain::of(std::span<const ChannelEntry> channel) {
    if (channel.empty()) return ParseError{"it has no entries"};
    EntriesByName entries;
    EntrySources sources; // of each name, the entries that lead to it
    for (const ChannelEntry& entry : channel) {
        if (!entries.emplace(entry.name, &entry).second)
            return ParseError{fmt::format("it has two entries {}", entry.name.text)};
        bool to_itself = false;
        for_each_target(entry, [&](std::string_view target) {
            to_itself = to_itself || target == entry.name;
            sources[target].insert(entry.name);
        });
        if (to_itself) return ParseError{fmt::format("entry {} replaces or skips itself", entry.name.text)};
    }
    std::vector<std::string_view> heads;
    for (const ChannelEntry& entry : channel)
        if (!sources.contains(entry.name)) heads.push_back(entry.name);
    std::sort(heads.begin(), heads.end());
    if (heads.empty()) return ParseError{"it has no head"};
    if (heads.size() > 1) return ParseError{fmt::format("it has several heads: {}", listed(heads, 8))};
    if (has_cycle(heads.front(), entries, std::move(sources)))
        return ParseError{"its upgrade graph has a cycle"};

    EntryChain chain;
    for (std::string_view name = heads.front(); !name.empty();) {
        Link& link = chain.links_.emplace_back();
        link.name = name;
        name = {};
        if (const auto at = entries.find(link.name); at != entries.end()) {
            for (const Text& skip : at->second->skips) link.skips.push_back(skip);
            name = at->second->replaces;
        }
    }
    return chain;
}

std::set<std::string_view> EntryChain::select(const std::function<bool(std::string_view)>& in_range) const {
    std::unordered_set<std::string_view> seen;
    std::vector<size_t> counts(links_.size()); // of versions in range at each link or below it
    for (size_t i = links_.size(), below = 0; i-- > 0; below = counts[i]) {
        counts[i] = below;
        const auto count = [&](std::string_view name) {
            if (in_range(name) && seen.insert(name).second) ++counts[i];
        };
        count(links_[i].name);
        for (const std::string_view skip : links_[i].skips) count(skip);
    }
    size_t top = 0;
    while (top + 1 < links_.size() && counts[top + 1] == counts.front()) ++top;
    std::set<std::string_view> names;
    for (size_t i = top; i < links_.size() && counts[i] > 0; ++i) {
        names.insert(links_[i].name);
        for (const std::string_view skip : links_[i].skips)
            if (in_range(skip)) names.insert(skip);
    }
    return names;
}

} // namespace opcat
