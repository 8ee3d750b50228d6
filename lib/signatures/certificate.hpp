// Certificates of Fulcio, sigstore's authority: they bind a key that is used once to the identity of a
// person.
#pragma once

#include "opcat/signatures/crypto.hpp"
#include "opcat/signatures/policy.hpp"

#include <cstdint>
#include <string_view>

namespace opcat::signatures {

// The key of the one certificate in `leaf`, if one of the root's authorities has issued it for signing code,
// it was valid at `time` (seconds since 1970), and it is for the person and by the issuer that the root
// names. `chain`: certificates between it and an authority, whose last one is not used. All are PEM. Throws
// Error.
PublicKey certified_key(const FulcioRoot& root, std::string_view leaf, std::string_view chain, int64_t time);

} // namespace opcat::signatures
