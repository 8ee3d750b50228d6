#include "opcat/go/fields.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <algorithm>
#include <cstdint>

namespace opcat {
namespace {

bool equal_but_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

} // namespace

bool means_field(std::string_view key, std::string_view field) {
    if (key.size() <= field.size()) return equal_but_case(key, field);
    // What else Unicode knows is longer in UTF-8. Nearly no key has any of it.
    if (is_ascii(key)) return false;
    return equal_but_case(replace_all(replace_all(std::string(key), "\u017f", "s"), "\u212a", "k"), field);
}

const Value* find_field(const Value& object, std::string_view field) {
    if (!object.is_object()) return nullptr;
    const Member* found = nullptr;
    for (const Member& member : object.members()) {
        if (!means_field(member.key.string(), field)) continue;
        const bool says_more = found && found->value.is_null() && !member.value.is_null();
        const bool says_less = found && !found->value.is_null() && member.value.is_null();
        if (!found || says_more || (!says_less && found->key.string() <= member.key.string()))
            found = &member;
    }
    return found ? &found->value : nullptr;
}

const Value* find_pointer_field(const Value& object, std::string_view field) {
    if (!object.is_object()) return nullptr;
    const Member* last = nullptr;
    for (const Member& member : object.members())
        if (means_field(member.key.string(), field) && (!last || last->key.string() <= member.key.string()))
            last = &member;
    return last && !last->value.is_null() ? &last->value : nullptr;
}

std::string_view field_text(const Value& object, std::string_view field) {
    const Value* const found = find_field(object, field);
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
