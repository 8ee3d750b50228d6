// OpenPGP, by the program gpgv.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace opcat::signatures {

// What an OpenPGP message holds that one of the keys has signed. `keys`: keyrings, binary or armored.
// `temporary`: where a private directory is made. Throws Error for a message that does not have exactly one
// signature, a valid one, by a key that has neither expired nor been revoked.
std::string signed_content(std::string_view message, std::span<const std::string> keys,
                           const std::filesystem::path& temporary);

// The packets in armor, in one block or several (RFC 4880, 6.2); other texts as they are. Throws Error for
// damaged armor.
std::string without_armor(std::string_view text);

} // namespace opcat::signatures
