// A channel as oc-mirror walks it: from its head along `replaces`, with what the entries skip.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/catalog/catalog.hpp"

#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace opcat {

class EntryChain {
public:
    // An error if the channel does not have exactly one head, if it has a cycle, or if an entry is there
    // twice or leads to itself. Refers to the entries.
    static Parsed<EntryChain> of(std::span<const ChannelEntry> entries);
    static Parsed<EntryChain> of(const Channel& channel) { return of(channel.entries); }

    std::string_view head() const { return links_.front().name; }

    // The names on the chain between the highest and the lowest one that are needed for all versions in
    // range, and those in range that they skip. A version counts for the lowest name on the chain that has or
    // skips it. Names need not be entries: the chain may lead out of the channel. Empty: nothing is in range.
    std::set<std::string_view> select(const std::function<bool(std::string_view)>& in_range) const;

private:
    struct Link {
        std::string_view name;
        std::vector<std::string_view> skips;
    };
    std::vector<Link> links_; // from the head on
};

} // namespace opcat
