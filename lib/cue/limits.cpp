#include "opcat/cue/limits.hpp"

#include "opcat/base/listed.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <vector>

namespace opcat::cue {
namespace {

using What = Limit::What;

bool holds(std::partial_ordering order, What what) {
    switch (what) {
    case What::less:
        return order < 0;
    case What::less_equal:
        return order <= 0;
    case What::greater:
        return order > 0;
    case What::greater_equal:
        return order >= 0;
    case What::not_equal:
        return order != 0;
    default:
        return true;
    }
}

uint64_t runes(std::string_view text) {
    uint64_t count = 0;
    for (const char c : text)
        if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++count;
    return count;
}

// Lists whose items are compared one by one.
constexpr size_t few_items = 16;
// Values that are nested deeper count as different.
constexpr unsigned max_compared_depth = 1'000;

bool equal_values(const Value& a, const Value& b, unsigned depth = 0) {
    if (kind_of(a) != kind_of(b) || depth > max_compared_depth) return false;
    switch (a.kind()) {
    case Value::Kind::null:
        return true;
    case Value::Kind::boolean:
        return a.boolean() == b.boolean();
    case Value::Kind::integer:
    case Value::Kind::large_integer:
    case Value::Kind::real:
        return compare(Number::of(a), Number::of(b)) == 0;
    case Value::Kind::string:
        return a.string() == b.string();
    case Value::Kind::array:
        return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                          [&](const Value& x, const Value& y) { return equal_values(x, y, depth + 1); });
    case Value::Kind::object:
        return a.members().size() == b.members().size() &&
               std::all_of(a.members().begin(), a.members().end(), [&](const Member& member) {
                   const Value* const other = b.find(member.key.string());
                   return other && equal_values(member.value, *other, depth + 1);
               });
    }
    return false;
}

// Equal values have equal hashes.
size_t hash_of(const Value& value, unsigned depth = 0) {
    if (depth > max_compared_depth) return 0;
    switch (value.kind()) {
    case Value::Kind::null:
    case Value::Kind::boolean:
        return static_cast<size_t>(value.kind());
    case Value::Kind::integer:
    case Value::Kind::large_integer:
    case Value::Kind::real:
        return std::hash<double>()(value.number());
    case Value::Kind::string:
        return std::hash<std::string_view>()(value.string());
    case Value::Kind::array: {
        size_t hash = 7;
        for (const Value& item : value.items()) hash = hash * 31 + hash_of(item, depth + 1);
        return hash;
    }
    case Value::Kind::object: {
        size_t hash = 11; // whatever the order
        for (const Member& member : value.members())
            hash +=
                std::hash<std::string_view>()(member.key.string()) * 31 + hash_of(member.value, depth + 1);
        return hash;
    }
    }
    return 0;
}

bool has_no_item_twice(std::span<const Value> items) {
    if (items.size() <= few_items) {
        for (size_t i = 1; i < items.size(); ++i)
            for (size_t j = 0; j < i; ++j)
                if (equal_values(items[i], items[j])) return false;
        return true;
    }
    std::vector<std::pair<size_t, const Value*>> hashes;
    hashes.reserve(items.size());
    for (const Value& item : items) hashes.emplace_back(hash_of(item), &item);
    std::sort(hashes.begin(), hashes.end());
    for (size_t i = 1; i < hashes.size(); ++i)
        for (size_t j = i; j > 0 && hashes[j - 1].first == hashes[i].first; --j)
            if (equal_values(*hashes[i].second, *hashes[j - 1].second)) return false;
    return true;
}

} // namespace

Kinds kind_of(const Value& value) {
    switch (value.kind()) {
    case Value::Kind::null:
        return kind::null;
    case Value::Kind::boolean:
        return kind::boolean;
    case Value::Kind::integer:
    case Value::Kind::large_integer:
        return kind::integer;
    case Value::Kind::real:
        return kind::real;
    case Value::Kind::string:
        return kind::string;
    case Value::Kind::array:
        return kind::list;
    case Value::Kind::object:
        return kind::structure;
    }
    return 0;
}

Kinds kind_of(const Constant& constant) {
    switch (constant.kind) {
    case Constant::Kind::null:
        return kind::null;
    case Constant::Kind::boolean:
        return kind::boolean;
    case Constant::Kind::number:
        return constant.number.is_integer ? kind::integer : kind::real;
    case Constant::Kind::string:
        return kind::string;
    case Constant::Kind::bytes:
        return kind::bytes;
    }
    return 0;
}

Kinds kinds_of(const Limit& limit) {
    switch (limit.what) {
    case What::min_runes:
    case What::max_runes:
    case What::match:
    case What::not_match:
        return kind::string;
    case What::min_items:
    case What::max_items:
    case What::unique_items:
        return kind::list;
    default:
        break;
    }
    if (limit.operand.kind == Constant::Kind::null) return kind::any & static_cast<Kinds>(~kind::null);
    const Kinds kinds = kind_of(limit.operand);
    return (kinds & kind::number) != 0 ? kind::number : kinds;
}

bool is_within(const Number& value, const Limit& limit) {
    return limit.operand.kind != Constant::Kind::number ||
           holds(compare(value, limit.operand.number), limit.what);
}

bool is_within(std::string_view text, const Limit& limit) {
    switch (limit.what) {
    case What::match:
        return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *limit.expression);
    case What::not_match:
        return !RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *limit.expression);
    case What::min_runes:
        return runes(text) >= limit.count;
    case What::max_runes:
        return runes(text) <= limit.count;
    default:
        break;
    }
    if (limit.operand.kind == Constant::Kind::null) return true;
    return holds(text <=> std::string_view(limit.operand.text), limit.what);
}

bool is_within(const Constant& constant, const Limit& limit) {
    switch (constant.kind) {
    case Constant::Kind::number:
        return is_within(constant.number, limit);
    case Constant::Kind::string:
    case Constant::Kind::bytes:
        return is_within(std::string_view(constant.text), limit);
    case Constant::Kind::boolean:
    case Constant::Kind::null:
        return limit.what != What::not_equal || !(constant == limit.operand);
    }
    return false;
}

bool is_within(const Value& value, const Limit& limit) {
    if (value.is_string()) return is_within(value.string(), limit);
    if (value.is_number()) return is_within(Number::of(value), limit);
    if (value.is_boolean())
        return limit.operand.kind != Constant::Kind::boolean || value.boolean() != limit.operand.boolean;
    if (!value.is_array()) return true;
    switch (limit.what) {
    case What::min_items:
        return value.items().size() >= limit.count;
    case What::max_items:
        return value.items().size() <= limit.count;
    case What::unique_items:
        return has_no_item_twice(value.items());
    default:
        return true;
    }
}

std::string to_string(const Limit& limit) {
    static constexpr std::array<std::string_view, 12> names{"<",
                                                            "<=",
                                                            ">",
                                                            ">=",
                                                            "!=",
                                                            "=~",
                                                            "!~",
                                                            "strings.MinRunes",
                                                            "strings.MaxRunes",
                                                            "list.MinItems",
                                                            "list.MaxItems",
                                                            "list.UniqueItems"};
    const std::string_view name = names.at(static_cast<size_t>(limit.what));
    if (limit.what == What::unique_items) return fmt::format("{}()", name);
    if (limit.what >= What::min_runes) return fmt::format("{}({})", name, limit.count);
    return fmt::format("{}{}", name, to_string(limit.operand));
}

std::string describe(Kinds kinds) {
    static constexpr std::array<std::pair<Kinds, std::string_view>, 9> names{{
        {kind::string, "a string"},
        {kind::number, "a number"},
        {kind::integer, "an integer"},
        {kind::real, "a number with a point"},
        {kind::boolean, "a boolean"},
        {kind::list, "a list"},
        {kind::structure, "an object"},
        {kind::bytes, "bytes"},
        {kind::null, "null"},
    }};
    if (kinds == kind::any) return "anything";
    if (kinds == (kind::any & static_cast<Kinds>(~kind::null))) return "anything but null";
    std::vector<std::string_view> parts;
    for (const auto& [some, name] : names)
        if ((kinds & some) == some) {
            parts.push_back(name);
            kinds &= static_cast<Kinds>(~some);
        }
    if (parts.empty()) return "nothing";
    return listed(parts, SIZE_MAX, {}, "or");
}

} // namespace opcat::cue
