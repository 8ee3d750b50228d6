// Public keys and what they have signed, by OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace opcat::signatures {

// A block of PEM: its label ("PUBLIC KEY") and its bytes.
struct PemBlock {
    std::string label;
    std::string der;
};

// Takes the first block off the text; false if there is none.
bool take_pem_block(std::string_view& text, PemBlock& block);
// The bytes of the one block of a text; `what` is its name in messages. Throws Error.
std::string only_pem_block(std::string_view text, std::string_view what);

// RSA, elliptic curves or Ed25519, as SubjectPublicKeyInfo.
struct PublicKey {
    std::string der;

    // From the first block of PEM. Throws Error.
    static PublicKey parse(std::string_view pem);
    bool is_elliptic_curve() const;
    // With SHA-256: PKCS #1 v1.5 for RSA, ASN.1 for elliptic curves; Ed25519 has its own hash.
    bool has_signed(std::string_view message, std::string_view signature) const;
};

} // namespace opcat::signatures
