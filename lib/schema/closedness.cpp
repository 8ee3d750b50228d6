#include "schema/closedness.hpp"

#include <algorithm>

namespace opcat::cue {
namespace {

constexpr uint32_t none = UINT32_MAX;

// Whether `group` is `ancestor` or in it.
bool is_within(const Groups& groups, uint32_t group, uint32_t ancestor) {
    while (group > ancestor) group = groups[group].parent;
    return group == ancestor;
}

} // namespace

Groups simplified(const Groups& groups, std::vector<uint32_t>& used) {
    // How many children of a group lead to something that is used, or that it is itself.
    std::vector<uint32_t> branches(groups.size(), 0);
    std::vector<bool> live(groups.size(), false);
    for (const uint32_t group : used) {
        ++branches[group];
        live[group] = true;
    }
    for (size_t i = groups.size(); i-- > 1;) {
        if (!live[i]) continue;
        ++branches[groups[i].parent];
        live[groups[i].parent] = true;
    }
    Groups result(1);
    result.front().closed = groups.front().closed;
    std::vector<uint32_t> renamed(groups.size(), none);
    renamed[0] = 0;
    // Numbers are given in the order of first use, so that equal situations have equal numbers.
    const auto rename = [&](const auto& self, uint32_t group) -> uint32_t {
        if (renamed[group] != none) return renamed[group];
        const Group& old = groups[group];
        const uint32_t parent = self(self, old.parent);
        // Of a chain without branches one group is left.
        const bool alone = branches[old.parent] == 1;
        if (alone) {
            result[parent].closed |= old.closed;
            return renamed[group] = parent;
        }
        result.push_back({parent, old.closed, false, old.embedded});
        return renamed[group] = static_cast<uint32_t>(result.size() - 1);
    };
    for (uint32_t& group : used) group = rename(rename, group);
    return result;
}

std::vector<std::vector<uint32_t>> closing_sets(const Groups& groups, const std::vector<uint32_t>& at) {
    std::vector<std::vector<uint32_t>> sets;
    for (uint32_t closing = 0; closing < groups.size(); ++closing) {
        if (!groups[closing].closed && !groups[closing].closed_here) continue;
        std::vector<uint32_t> set;
        bool says_anything = false;
        for (uint32_t part = 0; part < at.size(); ++part) {
            bool in = is_within(groups, at[part], closing);
            says_anything |= in;
            for (uint32_t g = closing; g > 0 && !in; g = groups[g].parent)
                in = groups[g].embedded && is_within(groups, at[part], groups[g].parent) &&
                     !is_within(groups, at[part], g);
            if (in) set.push_back(part);
        }
        if (says_anything && std::find(sets.begin(), sets.end(), set) == sets.end())
            sets.push_back(std::move(set));
    }
    return sets;
}

} // namespace opcat::cue
