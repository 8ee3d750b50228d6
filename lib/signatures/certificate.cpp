#include "opcat/signatures/certificate.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/shared_library.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <openssl/objects.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opcat::signatures {
namespace {

// Stacks are reached by the functions below the typed ones, which
// are inline and so would not be loaded at run time.
struct CertificateFunctions {
    SharedLibrary library{library::crypto};
    OPCAT_MEMBER(ASN1_STRING_free);
    OPCAT_MEMBER(ASN1_STRING_get0_data);
    OPCAT_MEMBER(ASN1_STRING_length);
    OPCAT_MEMBER(CRYPTO_free);
    OPCAT_MEMBER(GENERAL_NAMES_free);
    OPCAT_MEMBER(OBJ_obj2txt);
    OPCAT_MEMBER(OPENSSL_sk_free);
    OPCAT_MEMBER(OPENSSL_sk_new_null);
    OPCAT_MEMBER(OPENSSL_sk_num);
    OPCAT_MEMBER(OPENSSL_sk_push);
    OPCAT_MEMBER(OPENSSL_sk_value);
    OPCAT_MEMBER(X509_EXTENSION_get_data);
    OPCAT_MEMBER(X509_EXTENSION_get_object);
    OPCAT_MEMBER(X509_STORE_CTX_free);
    OPCAT_MEMBER(X509_STORE_CTX_get0_chain);
    OPCAT_MEMBER(X509_STORE_CTX_get0_param);
    OPCAT_MEMBER(X509_STORE_CTX_get_error);
    OPCAT_MEMBER(X509_STORE_CTX_init);
    OPCAT_MEMBER(X509_STORE_CTX_new);
    OPCAT_MEMBER(X509_STORE_add_cert);
    OPCAT_MEMBER(X509_STORE_free);
    OPCAT_MEMBER(X509_STORE_new);
    OPCAT_MEMBER(X509_VERIFY_PARAM_set_flags);
    OPCAT_MEMBER(X509_VERIFY_PARAM_set_time);
    OPCAT_MEMBER(X509_free);
    OPCAT_MEMBER(X509_get_X509_PUBKEY);
    OPCAT_MEMBER(X509_get_ext);
    OPCAT_MEMBER(X509_get_ext_count);
    OPCAT_MEMBER(X509_get_ext_d2i);
    OPCAT_MEMBER(X509_get_extended_key_usage);
    OPCAT_MEMBER(X509_verify_cert);
    OPCAT_MEMBER(X509_verify_cert_error_string);
    OPCAT_MEMBER(d2i_ASN1_UTF8STRING);
    OPCAT_MEMBER(d2i_X509);
    OPCAT_MEMBER(i2d_X509_PUBKEY);
};

const CertificateFunctions& x509() {
    static const CertificateFunctions functions;
    return functions;
}

struct FreeCertificate {
    void operator()(X509* certificate) const { x509().X509_free(certificate); }
};
using Certificate = std::unique_ptr<X509, FreeCertificate>;

std::string text_of_string(const ASN1_STRING* string) {
    return {reinterpret_cast<const char*>(x509().ASN1_STRING_get0_data(string)),
            static_cast<size_t>(x509().ASN1_STRING_length(string))};
}

std::vector<Certificate> parse_certificates(std::string_view pem, std::string_view what) {
    std::vector<Certificate> all;
    PemBlock block;
    while (take_pem_block(pem, block)) {
        const auto* at = reinterpret_cast<const unsigned char*>(block.der.data());
        const auto* const end = at + block.der.size();
        Certificate certificate(x509().d2i_X509(nullptr, &at, static_cast<long>(block.der.size())));
        if (block.label != "CERTIFICATE" || !certificate || at != end)
            throw Error(fmt::format("{} cannot be read as a certificate", what));
        all.push_back(std::move(certificate));
    }
    if (all.empty()) throw Error(fmt::format("{} holds no certificate in the format PEM", what));
    return all;
}

// A certificate without the extension serves for anything.
bool may_sign_code(X509* certificate) {
    const uint32_t usage = x509().X509_get_extended_key_usage(certificate);
    return usage == UINT32_MAX || (usage & (XKU_CODE_SIGN | XKU_ANYEKU)) != 0;
}

void verify_chain(X509* leaf, const std::vector<Certificate>& between,
                  const std::vector<Certificate>& authorities, int64_t time) {
    const auto& openssl = x509();
    const std::unique_ptr<X509_STORE, decltype(openssl.X509_STORE_free)> store(openssl.X509_STORE_new(),
                                                                               openssl.X509_STORE_free);
    const std::unique_ptr<OPENSSL_STACK, decltype(openssl.OPENSSL_sk_free)> untrusted(
        openssl.OPENSSL_sk_new_null(), openssl.OPENSSL_sk_free);
    const std::unique_ptr<X509_STORE_CTX, decltype(openssl.X509_STORE_CTX_free)> context(
        openssl.X509_STORE_CTX_new(), openssl.X509_STORE_CTX_free);
    bool ready = store && untrusted && context;
    for (const Certificate& authority : authorities)
        ready = ready && openssl.X509_STORE_add_cert(store.get(), authority.get()) == 1;
    for (const Certificate& one : between)
        ready = ready && openssl.OPENSSL_sk_push(untrusted.get(), one.get()) > 0;
    if (!ready || openssl.X509_STORE_CTX_init(context.get(), store.get(), leaf,
                                              reinterpret_cast<STACK_OF(X509)*>(untrusted.get())) != 1)
        throw Error("OpenSSL cannot verify certificates");
    X509_VERIFY_PARAM* const parameters = openssl.X509_STORE_CTX_get0_param(context.get());
    openssl.X509_VERIFY_PARAM_set_time(parameters, static_cast<time_t>(time));
    // An authority that the policy names need not be a root.
    openssl.X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
    if (openssl.X509_verify_cert(context.get()) != 1)
        throw Error(fmt::format(
            "its certificate is not accepted: {}",
            openssl.X509_verify_cert_error_string(openssl.X509_STORE_CTX_get_error(context.get()))));
    const auto* const chain =
        reinterpret_cast<const OPENSSL_STACK*>(openssl.X509_STORE_CTX_get0_chain(context.get()));
    for (int i = 0; i < openssl.OPENSSL_sk_num(chain); ++i)
        if (!may_sign_code(static_cast<X509*>(openssl.OPENSSL_sk_value(chain, i))))
            throw Error("its certificate is not one for signing code");
}

// The extension of this name, which may be there once.
std::optional<std::string> extension_of(X509* certificate, std::string_view oid) {
    std::optional<std::string> found;
    for (int i = 0; i < x509().X509_get_ext_count(certificate); ++i) {
        X509_EXTENSION* const extension = x509().X509_get_ext(certificate, i);
        char name[80] = {};
        x509().OBJ_obj2txt(name, sizeof name, x509().X509_EXTENSION_get_object(extension), 1);
        if (oid != name) continue;
        if (found) throw Error("its certificate names the issuer twice");
        found = text_of_string(x509().X509_EXTENSION_get_data(extension));
    }
    return found;
}

// Who has vouched for the person: Fulcio's OIDs 1.3.6.1.4.1.57264.1.1, whose value is the plain text, and
// …1.8, whose value is a UTF8String.
std::string issuer_of(X509* certificate) {
    const auto plain = extension_of(certificate, "1.3.6.1.4.1.57264.1.1");
    const auto encoded = extension_of(certificate, "1.3.6.1.4.1.57264.1.8");
    std::optional<std::string> decoded;
    if (encoded) {
        const auto* at = reinterpret_cast<const unsigned char*>(encoded->data());
        const auto* const end = at + encoded->size();
        const std::unique_ptr<ASN1_UTF8STRING, decltype(x509().ASN1_STRING_free)> string(
            x509().d2i_ASN1_UTF8STRING(nullptr, &at, static_cast<long>(encoded->size())),
            x509().ASN1_STRING_free);
        if (!string || at != end) throw Error("the issuer in its certificate cannot be read");
        decoded = text_of_string(string.get());
    }
    if (plain && decoded && *plain != *decoded) throw Error("its certificate names two issuers");
    if (!plain && !decoded) throw Error("its certificate names no issuer");
    return plain ? *plain : *decoded;
}

// Only those that are alternative names, not those in the subject.
std::vector<std::string> emails_of(X509* certificate) {
    std::vector<std::string> emails;
    const std::unique_ptr<GENERAL_NAMES, decltype(x509().GENERAL_NAMES_free)> names(
        static_cast<GENERAL_NAMES*>(
            x509().X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
        x509().GENERAL_NAMES_free);
    const auto* const stack = reinterpret_cast<const OPENSSL_STACK*>(names.get());
    for (int i = 0; stack && i < x509().OPENSSL_sk_num(stack); ++i) {
        const auto* const name = static_cast<const GENERAL_NAME*>(x509().OPENSSL_sk_value(stack, i));
        if (name->type == GEN_EMAIL) emails.push_back(text_of_string(name->d.rfc822Name));
    }
    return emails;
}

PublicKey key_of(X509* certificate) {
    unsigned char* der = nullptr;
    const int size = x509().i2d_X509_PUBKEY(x509().X509_get_X509_PUBKEY(certificate), &der);
    if (size <= 0) throw Error("its certificate has no key");
    PublicKey key{std::string(reinterpret_cast<const char*>(der), static_cast<size_t>(size))};
    x509().CRYPTO_free(der, __FILE__, __LINE__);
    return key;
}

} // namespace

PublicKey certified_key(const FulcioRoot& root, std::string_view leaf, std::string_view chain, int64_t time) {
    std::vector<Certificate> authorities;
    for (const std::string& pem : root.authorities.load())
        for (Certificate& one : parse_certificates(pem, "the policy's CA"))
            authorities.push_back(std::move(one));
    std::vector<Certificate> between;
    if (!chain.empty()) between = parse_certificates(chain, "the chain of its certificate");
    if (!between.empty()) between.pop_back();
    const std::vector<Certificate> leaves = parse_certificates(leaf, "its certificate");
    if (leaves.size() != 1) throw Error("it has more than one certificate");
    X509* const certificate = leaves.front().get();
    verify_chain(certificate, between, authorities, time);
    if (const std::string issuer = issuer_of(certificate); issuer != root.issuer)
        throw Error(fmt::format("its certificate is by the issuer {}", printable(issuer)));
    const std::vector<std::string> emails = emails_of(certificate);
    if (std::find(emails.begin(), emails.end(), root.email) == emails.end())
        throw Error(fmt::format("its certificate is not for {}", root.email));
    return key_of(certificate);
}

} // namespace opcat::signatures
