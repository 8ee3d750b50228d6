#include "document/go_keys.hpp"

#include "support/text.hpp"

#include <algorithm>

namespace opcat {

bool means_field(std::string_view key, std::string_view field) {
    const auto same = [](char a, char b) { return ascii_lower(a) == ascii_lower(b); };
    if (std::equal(key.begin(), key.end(), field.begin(), field.end(), same)) return true;
    if (key.size() <= field.size()) return false;
    const std::string ascii = replace_all(replace_all(std::string(key), "\u017f", "s"), "\u212a", "k");
    return std::equal(ascii.begin(), ascii.end(), field.begin(), field.end(), same);
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

} // namespace opcat
