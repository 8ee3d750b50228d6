#include "opcat/signatures/crypto.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/x509.h>

#include <memory>
#include <optional>

namespace opcat::signatures {
namespace {

struct KeyFunctions {
    SharedLibrary library{library::crypto};
    OPCAT_MEMBER(CRYPTO_free);
    OPCAT_MEMBER(EVP_DigestVerify);
    OPCAT_MEMBER(EVP_DigestVerifyInit);
    OPCAT_MEMBER(EVP_MD_CTX_free);
    OPCAT_MEMBER(EVP_MD_CTX_new);
    OPCAT_MEMBER(EVP_PKEY_free);
    OPCAT_MEMBER(EVP_sha256);
    OPCAT_MEMBER(OBJ_obj2nid);
    OPCAT_MEMBER(X509_PUBKEY_free);
    OPCAT_MEMBER(X509_PUBKEY_get);
    OPCAT_MEMBER(X509_PUBKEY_get0_param);
    OPCAT_MEMBER(d2i_PublicKey);
    OPCAT_MEMBER(d2i_X509_PUBKEY);
    OPCAT_MEMBER(i2d_PUBKEY);
};

const KeyFunctions& keys() {
    static const KeyFunctions functions;
    return functions;
}

template <class Object>
using Owned = std::unique_ptr<Object, void (*)(Object*)>;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

Owned<X509_PUBKEY> decode_key(std::string_view der) {
    const unsigned char* at = bytes_of(der);
    Owned<X509_PUBKEY> key(keys().d2i_X509_PUBKEY(nullptr, &at, static_cast<long>(der.size())),
                           keys().X509_PUBKEY_free);
    if (at != bytes_of(der) + der.size()) key.reset();
    return key;
}

// NID_undef for a key that cannot be read.
int algorithm_of(X509_PUBKEY* key) {
    ASN1_OBJECT* algorithm = nullptr;
    if (!key || keys().X509_PUBKEY_get0_param(&algorithm, nullptr, nullptr, nullptr, key) != 1)
        return NID_undef;
    return keys().OBJ_obj2nid(algorithm);
}

// What PEM calls "RSA PUBLIC KEY" is a part of the usual form.
std::string der_of_rsa(std::string_view pkcs1) {
    const unsigned char* at = bytes_of(pkcs1);
    const Owned<EVP_PKEY> key(
        keys().d2i_PublicKey(EVP_PKEY_RSA, nullptr, &at, static_cast<long>(pkcs1.size())),
        keys().EVP_PKEY_free);
    unsigned char* der = nullptr;
    const int size = key ? keys().i2d_PUBKEY(key.get(), &der) : 0;
    if (size <= 0) return {};
    std::string bytes(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
    keys().CRYPTO_free(der, __FILE__, __LINE__);
    return bytes;
}

} // namespace

bool take_pem_block(std::string_view& text, PemBlock& block) {
    constexpr std::string_view begin = "-----BEGIN ";
    constexpr std::string_view dashes = "-----";
    const size_t start = text.find(begin);
    if (start == text.npos) return false;
    text.remove_prefix(start + begin.size());
    const size_t label_size = text.find(dashes);
    if (label_size == text.npos) return false;
    block.label = text.substr(0, label_size);
    text.remove_prefix(label_size + dashes.size());
    const std::string end = "-----END " + block.label + "-----";
    const size_t body_size = text.find(end);
    if (body_size == text.npos) return false;
    std::string body(text.substr(0, body_size));
    text.remove_prefix(body_size + end.size());
    std::erase_if(body, [](char c) { return c == ' ' || c == '\t'; });
    const auto der = decode_base64(body);
    if (!der) return false;
    block.der = *der;
    return true;
}

std::string only_pem_block(std::string_view text, std::string_view what) {
    PemBlock block;
    if (!take_pem_block(text, block) || !on_one_line(text).empty())
        throw Error(fmt::format("{} is not one block of PEM", what));
    return block.der;
}

PublicKey PublicKey::parse(std::string_view pem) {
    PemBlock block;
    if (!take_pem_block(pem, block)) throw Error("a public key is not in the format PEM");
    PublicKey key;
    if (block.label == "PUBLIC KEY")
        key.der = block.der;
    else if (block.label == "RSA PUBLIC KEY")
        key.der = der_of_rsa(block.der);
    else
        throw Error(
            fmt::format("a public key in PEM is labelled \"{}\", not PUBLIC KEY", printable(block.label)));
    switch (algorithm_of(decode_key(key.der).get())) {
    case NID_rsaEncryption:
    case NID_X9_62_id_ecPublicKey:
    case NID_ED25519:
        return key;
    default:
        throw Error("a public key is neither of RSA nor of an elliptic curve nor of Ed25519");
    }
}

bool PublicKey::is_elliptic_curve() const {
    return algorithm_of(decode_key(der).get()) == NID_X9_62_id_ecPublicKey;
}

bool PublicKey::has_signed(std::string_view message, std::string_view signature) const {
    const Owned<X509_PUBKEY> decoded = decode_key(der);
    const Owned<EVP_PKEY> key(decoded ? keys().X509_PUBKEY_get(decoded.get()) : nullptr,
                              keys().EVP_PKEY_free);
    const Owned<EVP_MD_CTX> context(keys().EVP_MD_CTX_new(), keys().EVP_MD_CTX_free);
    if (!key || !context) return false;
    const EVP_MD* const hash = algorithm_of(decoded.get()) == NID_ED25519 ? nullptr : keys().EVP_sha256();
    return keys().EVP_DigestVerifyInit(context.get(), nullptr, hash, nullptr, key.get()) == 1 &&
           keys().EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(message),
                                   message.size()) == 1;
}

} // namespace opcat::signatures
