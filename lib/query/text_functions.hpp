// SQLite's functions on texts whose work is not bounded by the limit on instructions, because each call is
// one instruction: instr, replace, LIKE and trim of two texts. Those here take time O(length) or count their
// steps.
#pragma once

#include <cstdint>

struct sqlite3;

namespace opcat::query {

// The longest text that a statement handles.
inline constexpr int most_bytes_of_a_value = 64 * 1024 * 1024;

// Replaces them. `steps_left`, comparisons of characters, must outlive the connection; a call that would
// exceed it fails.
void bound_text_functions(sqlite3* handle, uint64_t& steps_left);

// The functions for which there is no bounded one.
bool is_unbounded_function(const char* name);

} // namespace opcat::query
