#include "opcat/document/value.hpp"

#include <algorithm>

namespace opcat {

std::string_view describe(Value::Kind kind) {
    switch (kind) {
    case Value::Kind::null:
        return "null";
    case Value::Kind::boolean:
        return "a boolean";
    case Value::Kind::integer:
    case Value::Kind::large_integer:
    case Value::Kind::real:
        return "a number";
    case Value::Kind::string:
        return "a string";
    case Value::Kind::array:
        return "a list";
    case Value::Kind::object:
        return "an object";
    }
    return {};
}

namespace {

// The value that counts for a key: the last.
bool has_same_members(const Value& a, const Value& b) {
    return std::ranges::all_of(a.members(), [&](const Member& member) {
        const Value* const mine = a.find(member.key.string());
        const Value* const other = b.find(member.key.string());
        return other && says_the_same(*mine, *other);
    });
}

bool has_same_layout(const Value& a, const Value& b) {
    return std::ranges::equal(a.members(), b.members(), [](const Member& one, const Member& other) {
        return one.key.string() == other.key.string();
    });
}

} // namespace

bool says_the_same(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
    case Value::Kind::null:
        return true;
    case Value::Kind::boolean:
        return a.boolean() == b.boolean();
    case Value::Kind::integer:
        return a.integer() == b.integer();
    case Value::Kind::large_integer:
        return a.large_integer() == b.large_integer();
    case Value::Kind::real:
        return a.real() == b.real();
    case Value::Kind::string:
        return a.string() == b.string();
    case Value::Kind::array:
        return std::ranges::equal(a.items(), b.items(), says_the_same);
    case Value::Kind::object:
        break;
    }
    if (has_same_layout(a, b))
        return std::ranges::equal(a.members(), b.members(), [](const Member& one, const Member& other) {
            return says_the_same(one.value, other.value);
        });
    return has_same_members(a, b) && has_same_members(b, a);
}

} // namespace opcat
