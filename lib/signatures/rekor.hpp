// Rekor, sigstore's log of signatures: its promise that it has a signature, and since when.
#pragma once

#include "opcat/signatures/crypto.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace opcat::signatures {

// `bundle`: the JSON that is stored with a signature. Returns when the log has taken the signature, in
// seconds since 1970, if one of its keys has signed the bundle, and it is about exactly this signature (its
// bytes), payload, and key or certificate (DER). Throws Error.
int64_t time_of_log_entry(std::string_view bundle, std::span<const PublicKey> log_keys,
                          std::string_view key_or_certificate, std::string_view signature,
                          std::string_view payload);

} // namespace opcat::signatures
