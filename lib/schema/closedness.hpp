// Which fields a struct may have when definitions, which are closed, are combined and embedded.
#pragma once

#include <cstdint>
#include <vector>

namespace opcat::cue {

// Where a part of a value comes from. Groups form a tree, in which each has a larger number than its parent;
// 0 is the root. A reference to a definition makes a group, which closes what is in it; so does a struct, for
// its fields, and each value embedded in a struct.
struct Group {
    uint32_t parent = 0;
    bool closed = false;      // only fields that something in it has are allowed, here and further in
    bool closed_here = false; // the same, but not further in
    bool embedded = false;    // in the struct that is the parent: what that has besides is allowed as well
};

using Groups = std::vector<Group>;

// Makes the tree as small as it can be without changing what is allowed by parts that stand in the groups
// `used`, and makes `used` refer to the new tree. Equal situations become equal trees, so that definitions
// which contain themselves come to an end. For the value of a field: `closed_here` is dropped.
Groups simplified(const Groups& groups, std::vector<uint32_t>& used);

// Each set of parts (indices of `at`, which has the group of each) of which one must have a field, or the
// field is not allowed.
std::vector<std::vector<uint32_t>> closing_sets(const Groups& groups, const std::vector<uint32_t>& at);

} // namespace opcat::cue
