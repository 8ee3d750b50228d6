// Base64 as Go's base64.StdEncoding reads and writes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// Line breaks in between are skipped; padding is required. Nothing if the text is not base64.
std::optional<std::string> decode_base64(std::string_view text);

// The byte of a text that is not base64 at which Go says it is corrupt.
size_t base64_corrupt_at(std::string_view text);

// Whether decode_base64 reads it; far faster, and without memory.
bool is_base64(std::string_view text);

// Whether the text is what encode_base64 makes of the bytes that it stands for.
bool is_canonical_base64(std::string_view text);

std::string encode_base64(std::string_view bytes);

} // namespace opcat
