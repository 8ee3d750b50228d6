#include "opcat/go/fields.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace opcat {

using go::Route;

namespace {

bool equal_but_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

bool means(const Member& member, std::string_view field, Route route) {
    return route == Route::converter ? member.key.string() == field : means_field(member.key.string(), field);
}

// The values that Go decodes into the field, in its order.
std::vector<const Value*> values_of(const Value& object, std::string_view field, Route route) {
    std::vector<const Member*> found;
    for (const Member& member : object.members())
        if (means(member, field, route)) found.push_back(&member);
    if (route != Route::text) {
        std::stable_sort(found.begin(), found.end(),
                         [](const Member* a, const Member* b) { return a->key.string() < b->key.string(); });
        // The last one of equal keys remains.
        const auto end = std::unique(found.rbegin(), found.rend(), [](const Member* a, const Member* b) {
            return a->key.string() == b->key.string();
        });
        found.erase(found.begin(), end.base());
    }
    std::vector<const Value*> values;
    values.reserve(found.size());
    for (const Member* const member : found) values.push_back(&member->value);
    return values;
}

// The last of the field's values that `counts`, or else the last of all. Nearly always there is only one.
template <typename Counts>
const Value* last_value(const Value& object, std::string_view field, Route route, Counts counts) {
    if (!object.is_object()) return nullptr;
    const Value* only = nullptr;
    for (const Member& member : object.members()) {
        if (!means(member, field, route)) continue;
        if (only) {
            const auto values = values_of(object, field, route);
            const auto last =
                std::find_if(values.rbegin(), values.rend(), [&](const Value* v) { return counts(*v); });
            return last == values.rend() ? values.back() : *last;
        }
        only = &member.value;
    }
    return only;
}

} // namespace

bool means_field(std::string_view key, std::string_view field) {
    if (key.size() <= field.size()) return equal_but_case(key, field);
    // Other characters with such foldings are longer in UTF-8. Nearly no key contains one.
    if (is_ascii(key)) return false;
    return equal_but_case(replace_all(replace_all(std::string(key), "\u017f", "s"), "\u212a", "k"), field);
}

const Value* find_field(const Value& object, std::string_view field, Route route) {
    return last_value(object, field, route, [](const Value& value) { return !value.is_null(); });
}

const Value* find_pointer_field(const Value& object, std::string_view field, Route route) {
    const Value* const last = last_value(object, field, route, [](const Value&) { return true; });
    return last && !last->is_null() ? last : nullptr;
}

std::string_view field_text(const Value& object, std::string_view field, Route route) {
    const Value* const found = find_field(object, field, route);
    return found ? found->string_or_empty() : std::string_view();
}

std::span<const Value> items_of(const Value* list) {
    return list && list->is_array() ? list->items() : std::span<const Value>();
}

std::optional<std::string> go_bytes(const Value& value) {
    if (value.is_null()) return std::string();
    if (value.is_string()) return decode_base64(value.string());
    if (!value.is_array()) return std::nullopt;
    std::string bytes;
    for (const Value& item : value.items()) {
        const bool is_byte =
            item.kind() == Value::Kind::integer && item.integer() >= 0 && item.integer() <= UINT8_MAX;
        if (!is_byte && !item.is_null()) return std::nullopt;
        bytes += is_byte ? static_cast<char>(item.integer()) : '\0';
    }
    return bytes;
}

} // namespace opcat
