#include "opcat/document/normalise.hpp"

#include <algorithm>
#include <vector>

// Values are nested up to 10,000 levels deep: pending ones are in a vector, not on the program's stack.
namespace opcat {
namespace {

bool is_collection(const Value& value) {
    return value.is_array() || value.is_object();
}

bool is_ordered(std::span<const Member> members) {
    for (size_t i = 1; i < members.size(); ++i)
        if (members[i - 1].key.string() >= members[i].key.string()) return false;
    return true;
}

bool is_normalised(const Value& root) {
    if (!is_collection(root)) return true;
    std::vector<Value> pending{root};
    while (!pending.empty()) {
        const Value value = pending.back();
        pending.pop_back();
        if (value.is_array()) {
            for (const Value& item : value.items())
                if (is_collection(item)) pending.push_back(item);
            continue;
        }
        if (!is_ordered(value.members())) return false;
        for (const Member& member : value.members())
            if (is_collection(member.value)) pending.push_back(member.value);
    }
    return true;
}

} // namespace

std::vector<Member> ordered(std::span<const Member> members) {
    std::vector<Member> sorted(members.begin(), members.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Member& a, const Member& b) { return a.key.string() < b.key.string(); });
    // The last of equal ones stays.
    std::vector<Member> unique;
    unique.reserve(sorted.size());
    for (const Member& member : sorted) {
        if (!unique.empty() && unique.back().key.string() == member.key.string())
            unique.back() = member;
        else
            unique.push_back(member);
    }
    return unique;
}

namespace {

// Top-down: each collection is copied, and then its items in their new place.
Value normalised_copy(const Value& original, Arena& arena) {
    Value root = original;
    std::vector<Value*> pending{&root};
    while (!pending.empty()) {
        Value& value = *pending.back();
        pending.pop_back();
        if (value.is_array()) {
            const std::span<Value> items = arena.copy(value.items());
            value = Value::of(std::span<const Value>(items), value.offset());
            for (Value& item : items)
                if (is_collection(item)) pending.push_back(&item);
        } else {
            const std::vector<Member> members = ordered(value.members());
            const std::span<Member> copies = arena.copy(std::span<const Member>(members));
            value = Value::of(std::span<const Member>(copies), value.offset());
            for (Member& member : copies)
                if (is_collection(member.value)) pending.push_back(&member.value);
        }
    }
    return root;
}

} // namespace

Value normalised(const Value& value, Arena& arena) {
    return is_normalised(value) ? value : normalised_copy(value, arena);
}

} // namespace opcat
