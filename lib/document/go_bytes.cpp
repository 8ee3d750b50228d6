#include "document/go_bytes.hpp"

#include "base/base64.hpp"

#include <cstdint>

namespace opcat {

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
