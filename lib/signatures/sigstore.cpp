#include "opcat/signatures/sigstore.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/signatures/certificate.hpp"
#include "opcat/signatures/rekor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace opcat::signatures {
namespace {

// Annotations of cosign.
constexpr const char* signature_annotation = "dev.cosignproject.cosign/signature";
constexpr const char* bundle_annotation = "dev.sigstore.cosign/bundle";
constexpr const char* certificate_annotation = "dev.sigstore.cosign/certificate";
constexpr const char* chain_annotation = "dev.sigstore.cosign/chain";

std::string required_annotation(const SigstoreSignature& signature, const char* name) {
    std::string value = signature.annotation(name);
    if (value.empty()) throw Error(fmt::format("it has no annotation {}", name));
    return value;
}

std::vector<PublicKey> load_keys(const KeySources& sources) {
    std::vector<PublicKey> keys;
    for (const std::string& pem : sources.load()) keys.push_back(PublicKey::parse(pem));
    return keys;
}

std::vector<PublicKey> load_log_keys(const KeySources& sources) {
    std::vector<PublicKey> keys = load_keys(sources);
    for (const PublicKey& key : keys)
        if (!key.is_elliptic_curve()) throw Error("the public key of Rekor is not one of an elliptic curve");
    return keys;
}

// Of the keys, the one that the log has the signature of.
std::vector<PublicKey> logged_key(std::vector<PublicKey> keys, const std::vector<PublicKey>& log_keys,
                                  const SigstoreSignature& signature, const std::string& bytes) {
    const std::string bundle = required_annotation(signature, bundle_annotation);
    std::string reason;
    for (PublicKey& key : keys) {
        try {
            time_of_log_entry(bundle, log_keys, key.der, bytes, signature.payload);
            return {std::move(key)};
        } catch (const Error& error) {
            reason = error.what();
        }
    }
    throw Error(reason);
}

PublicKey key_of_certificate(const FulcioRoot& root, const std::vector<PublicKey>& log_keys,
                             const SigstoreSignature& signature, const std::string& bytes) {
    const std::string bundle = required_annotation(signature, bundle_annotation);
    const std::string certificate = required_annotation(signature, certificate_annotation);
    const int64_t time =
        time_of_log_entry(bundle, log_keys, only_pem_block(certificate, "the certificate of the signature"),
                          bytes, signature.payload);
    return certified_key(root, certificate, signature.annotation(chain_annotation), time);
}

} // namespace

std::string signed_payload(const Requirement& requirement, const SigstoreSignature& signature) {
    const auto bytes = decode_base64(required_annotation(signature, signature_annotation));
    if (!bytes) throw Error("the signature in its annotations is not base64");
    std::vector<PublicKey> log_keys;
    if (requirement.rekor) log_keys = load_log_keys(*requirement.rekor);
    std::vector<PublicKey> keys;
    if (requirement.fulcio)
        keys = {key_of_certificate(*requirement.fulcio, log_keys, signature, *bytes)};
    else
        keys = load_keys(requirement.keys);
    if (requirement.rekor && !requirement.fulcio)
        keys = logged_key(std::move(keys), log_keys, signature, *bytes);
    if (std::none_of(keys.begin(), keys.end(),
                     [&](const PublicKey& key) { return key.has_signed(signature.payload, *bytes); }))
        throw Error("it is not by a key that the policy names, or what is signed was altered");
    return signature.payload;
}

} // namespace opcat::signatures
