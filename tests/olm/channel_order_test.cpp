// The order of a channel, which the graph and the resolver of OLM classic share, by its definition.
#include "opcat/olm/classic_rules.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <random>
#include <string>
#include <vector>

using namespace opcat;

namespace {

struct PlainEntry {
    std::string name, replaces;
    std::vector<std::string> skips;
};

bool names(const PlainEntry& entry, const std::string& name, bool by_skips_only) {
    return (!by_skips_only && entry.replaces == name) ||
           std::find(entry.skips.begin(), entry.skips.end(), name) != entry.skips.end();
}

bool any_names(const std::vector<PlainEntry>& entries, const std::string& name, bool by_skips_only) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const PlainEntry& one) { return names(one, name, by_skips_only); });
}

const PlainEntry* last_of(const std::vector<PlainEntry>& entries, const std::string& name) {
    const auto found = std::find_if(entries.rbegin(), entries.rend(),
                                    [&](const PlainEntry& one) { return one.name == name; });
    return found == entries.rend() ? nullptr : &*found;
}

} // namespace

TEST_CASE("heads and chains of random channels are those of their definition") {
    std::mt19937 random(1);
    const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    for (size_t round = 0; round < 20'000; ++round) {
        std::vector<PlainEntry> entries(1 + below(6));
        const auto name = [&] { return std::string(1, static_cast<char>('a' + below(entries.size() + 1))); };
        for (PlainEntry& entry : entries) {
            entry.name = name();
            if (below(4) > 0) entry.replaces = name();
            if (below(3) == 0) entry.skips = {name()};
        }
        NamedEntries named;
        for (const PlainEntry& entry : entries) {
            std::vector<Text> skips;
            for (const std::string& skip : entry.skips) skips.push_back({skip, 0});
            named.add(entry.name, entry.replaces, skips);
        }
        for (const auto namesakes : {ChannelOrder::Namesakes::all, ChannelOrder::Namesakes::last}) {
            const ChannelOrder order = named.order(namesakes);
            std::vector<uint32_t> heads;
            for (uint32_t place = 0; place < entries.size(); ++place)
                if (!any_names(entries, entries[place].name, false) ||
                    (namesakes == ChannelOrder::Namesakes::last &&
                     last_of(entries, entries[place].name) != &entries[place]))
                    heads.push_back(place);
            REQUIRE(order.heads() == heads);
            for (const uint32_t head : heads) {
                std::vector<uint32_t> chain;
                const PlainEntry* at = &entries[head];
                size_t steps = 0;
                for (; at && steps <= entries.size(); ++steps) {
                    const auto place = static_cast<uint32_t>(at - entries.data());
                    const bool is_new = steps < entries.size();
                    if (is_new && !any_names(entries, at->name, true)) chain.push_back(place);
                    at = at->replaces.empty() ? nullptr : last_of(entries, at->replaces);
                }
                const ChannelOrder::Chain found = order.chain_from(head);
                // More steps than entries: an entry was reached twice.
                REQUIRE(found.is_cycle == (steps > entries.size()));
                if (!found.is_cycle) REQUIRE(found.places == chain);
            }
        }
    }
}
