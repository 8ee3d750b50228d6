// All catalogs of the resolution, and the orders of preference among their entries.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/resolve/classic/requirement.hpp"
#include "opcat/resolve/classic/snapshot.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace opcat::classic {

using Entries = std::vector<const Entry*>;
using SortedEntries = Result<Entries, std::string>;

// The entries of one channel (or of several, as one) from the head down. Entries that another one skips are
// not among them. The error is OLM's, for channels that have no order.
SortedEntries sort_channel(std::span<const Entry* const> entries);

class Finder {
public:
    // `existing` is what is installed in the target namespace; a priority belongs to each snapshot.
    Finder(std::shared_ptr<const Snapshot> existing, std::vector<std::shared_ptr<const Snapshot>> catalogs);

    const Snapshot& existing() const { return *existing_; }
    std::span<const std::shared_ptr<const Snapshot>> catalogs() const { return catalogs_; }

    // The catalogs that a Subscription's source names: all of them, by priority, if it names none.
    std::vector<const Snapshot*> subscribed(const CatalogKey& key) const;

    // The entries that meet a requirement of an entry of catalog `from`, the most preferred first.
    SortedEntries candidates(const Predicate& predicate, const Snapshot& from);

    // The entries of one catalog with this name and channel ("": any).
    static Entries named(const Snapshot& snapshot, std::string_view name, std::string_view channel);

    // Nothing if the key does not name a catalog of the resolution.
    const Snapshot* find(const CatalogKey& key) const;

    Tester& tester() { return tester_; }

private:
    using ChannelKey = std::pair<std::string_view, std::string_view>; // package, channel

    std::vector<const Snapshot*> by_preference(const Snapshot& from) const;
    SortedEntries existing_candidates(const Predicate& predicate);
    SortedEntries catalog_candidates(const Predicate& predicate, const Snapshot& snapshot);
    std::vector<uint32_t> matching(const Predicate& predicate, const Snapshot& snapshot);
    const SortedEntries& sorted_channel(const Snapshot& snapshot, const ChannelKey& key);

    std::shared_ptr<const Snapshot> existing_;
    std::vector<std::shared_ptr<const Snapshot>> catalogs_;
    std::map<std::pair<const Snapshot*, ChannelKey>, Entries> channels_;
    std::map<std::pair<const Snapshot*, ChannelKey>, SortedEntries> sorted_;
    Tester tester_;
};

} // namespace opcat::classic
