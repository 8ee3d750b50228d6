#include "document/normalise.hpp"

#include <algorithm>
#include <vector>

namespace opcat {
namespace {

bool is_ordered(std::span<const Member> members) {
    for (size_t i = 1; i < members.size(); ++i)
        if (members[i - 1].key.string() >= members[i].key.string()) return false;
    return true;
}

bool is_normalised(const Value& value) {
    if (value.is_array()) return std::all_of(value.items().begin(), value.items().end(), is_normalised);
    if (!value.is_object()) return true;
    return is_ordered(value.members()) && std::all_of(value.members().begin(), value.members().end(),
                                                      [](const Member& m) { return is_normalised(m.value); });
}

Value normalised_copy(const Value& value, Arena& arena) {
    if (value.is_array()) {
        std::vector<Value> items(value.items().begin(), value.items().end());
        for (Value& item : items) item = normalised_copy(item, arena);
        return Value::of(std::span<const Value>(arena.copy(std::span<const Value>(items))), value.offset());
    }
    if (!value.is_object()) return value;
    std::vector<Member> members(value.members().begin(), value.members().end());
    std::stable_sort(members.begin(), members.end(),
                     [](const Member& a, const Member& b) { return a.key.string() < b.key.string(); });
    // The last of equal ones stays.
    std::vector<Member> unique;
    for (const Member& member : members) {
        if (!unique.empty() && unique.back().key.string() == member.key.string())
            unique.back() = member;
        else
            unique.push_back(member);
    }
    for (Member& member : unique) member.value = normalised_copy(member.value, arena);
    return Value::of(std::span<const Member>(arena.copy(std::span<const Member>(unique))), value.offset());
}

} // namespace

Value normalised(const Value& value, Arena& arena) {
    return is_normalised(value) ? value : normalised_copy(value, arena);
}

} // namespace opcat
