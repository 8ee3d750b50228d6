// Passing over long texts a block at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opcat {

// How many bytes at the front are all as `is` (a function of a uint8_t, without branches) wants them, in
// whole blocks: what follows has to be looked at byte by byte. A block's size is fixed so that compilers make
// vector instructions of it, which is some ten times faster than a table of bytes.
template <typename Is>
size_t skip_blocks(std::string_view text, Is is) {
    constexpr size_t block = 32;
    size_t at = 0;
    for (; at + block <= text.size(); at += block) {
        uint8_t other = 0;
        for (size_t i = 0; i < block; ++i)
            other |= static_cast<uint8_t>(is(static_cast<uint8_t>(text[at + i])) ? 0 : 1);
        if (other != 0) break;
    }
    return at;
}

} // namespace opcat
