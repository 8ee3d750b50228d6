// Base64 as Go's base64.StdEncoding reads and writes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// Skips line breaks; padding is required. Nothing if the text is not base64.
std::optional<std::string> decode_base64(std::string_view text);

// The offset of the first byte that Go reports as corrupt, in a text that is not base64.
size_t base64_corrupt_at(std::string_view text);

// Returns true if decode_base64 accepts the text; much faster, and without allocation.
bool is_base64(std::string_view text);

// Returns true if the text is exactly what encode_base64 returns for the decoded bytes.
bool is_canonical_base64(std::string_view text);

std::string encode_base64(std::string_view bytes);

} // namespace opcat
