// Whether a file is text.
#pragma once

#include <cstddef>
#include <string_view>

namespace opcat {

// As git decides it: a NUL in the first bytes.
inline bool is_binary(std::string_view bytes) {
    constexpr size_t enough = 8000;
    const std::string_view start = bytes.substr(0, enough);
    return start.find('\0') != start.npos;
}

} // namespace opcat
