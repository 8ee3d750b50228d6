// Numbers and strings of CUE, from how they are written to what they are.
#pragma once

#include "schema/constant.hpp"

#include <string_view>

namespace opcat::cue {

// `text` is a number as CUE writes it: 1_000, 0x1f, 0o17, 0b11, .5, 1e3, 1.5K, 4Gi. It stands at byte
// `begin`. Throws SyntaxError, also for integers that 64 bits cannot hold.
Number parse_number(std::string_view text, uint32_t begin);

// `text` is a string or bytes with its quotes: "a", 'b', #"raw"#, of one line or several. Throws SyntaxError.
Constant parse_string(std::string_view text, uint32_t begin);

} // namespace opcat::cue
