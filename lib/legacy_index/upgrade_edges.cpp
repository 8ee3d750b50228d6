#include "legacy_index/upgrade_edges.hpp"

#include <algorithm>
#include <set>

namespace opcat::legacy {

std::map<BundleInChannel, Edges> upgrade_edges(const std::vector<EdgeRow>& rows) {
    std::map<int64_t, const EdgeRow*> by_id;
    std::optional<int64_t> least;
    for (const EdgeRow& row : rows) {
        by_id.emplace(row.id, &row);
        if (row.depth) least = least ? std::min(*least, *row.depth) : *row.depth;
    }
    const auto replaced = [&](const EdgeRow& row) -> const EdgeRow* {
        const auto found = row.replaces ? by_id.find(*row.replaces) : by_id.end();
        return found == by_id.end() ? nullptr : found->second;
    };

    std::set<const EdgeRow*> met;
    for (const auto& [id, head] : by_id)
        if (least && head->depth == least)
            for (const EdgeRow* row = head; row && met.insert(row).second;) row = replaced(*row);

    std::map<BundleInChannel, Edges> result;
    for (const auto& [id, row] : by_id) {
        Edges& edges = result[{row->bundle, row->package, row->channel}];
        const EdgeRow* const from = replaced(*row);
        if (!from) continue;
        if (met.contains(row))
            edges.replaces = std::max(edges.replaces, from->bundle);
        else
            edges.skips.push_back(from->bundle);
    }
    return result;
}

} // namespace opcat::legacy
