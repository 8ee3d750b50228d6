#include "opcat/base/digest.hpp"

#include "opcat/base/regular_file.hpp"
#include "opcat/base/shared_library.hpp"

#include <openssl/evp.h>

#include <new>
#include <span>
#include <vector>

namespace opcat {
namespace {

// The functions of libcrypto that we use, by their names without "EVP_".
struct Crypto {
    SharedLibrary library{library::crypto};
    decltype(&::EVP_Digest) Digest = OPCAT_FUNCTION(library, EVP_Digest);
    decltype(&::EVP_DigestFinal_ex) DigestFinal_ex = OPCAT_FUNCTION(library, EVP_DigestFinal_ex);
    decltype(&::EVP_DigestInit_ex) DigestInit_ex = OPCAT_FUNCTION(library, EVP_DigestInit_ex);
    decltype(&::EVP_DigestUpdate) DigestUpdate = OPCAT_FUNCTION(library, EVP_DigestUpdate);
    decltype(&::EVP_MD_CTX_free) MD_CTX_free = OPCAT_FUNCTION(library, EVP_MD_CTX_free);
    decltype(&::EVP_MD_CTX_new) MD_CTX_new = OPCAT_FUNCTION(library, EVP_MD_CTX_new);
    decltype(&::EVP_sha1) sha1 = OPCAT_FUNCTION(library, EVP_sha1);
    decltype(&::EVP_sha224) sha224 = OPCAT_FUNCTION(library, EVP_sha224);
    decltype(&::EVP_sha256) sha256 = OPCAT_FUNCTION(library, EVP_sha256);
};

std::string hex_of(std::span<const unsigned char> bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const unsigned char byte : bytes) {
        hex += digits[byte >> 4];
        hex += digits[byte & 15];
    }
    return hex;
}

// Loads it on the first call.
const Crypto& crypto() {
    static const Crypto functions;
    return functions;
}

} // namespace

struct Sha256::Context {
    EVP_MD_CTX* evp = crypto().MD_CTX_new();
    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { crypto().MD_CTX_free(evp); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
    if (!context_->evp || crypto().DigestInit_ex(context_->evp, crypto().sha256(), nullptr) != 1)
        throw std::bad_alloc();
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
    crypto().DigestUpdate(context_->evp, bytes.data(), bytes.size());
}

std::string Sha256::finish_hex() {
    unsigned char digest[32];
    crypto().DigestFinal_ex(context_->evp, digest, nullptr);
    return hex_of(digest);
}

std::string sha1_hex(std::string_view bytes) {
    unsigned char digest[20];
    if (crypto().Digest(bytes.data(), bytes.size(), digest, nullptr, crypto().sha1(), nullptr) != 1)
        throw std::bad_alloc();
    return hex_of(digest);
}

std::string sha256_hex(std::string_view bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.finish_hex();
}

std::array<uint8_t, 28> sha224(std::string_view bytes) {
    std::array<uint8_t, 28> digest{};
    if (crypto().Digest(bytes.data(), bytes.size(), digest.data(), nullptr, crypto().sha224(), nullptr) != 1)
        throw std::bad_alloc();
    return digest;
}

std::string file_digest(const std::filesystem::path& file) {
    RegularFile reader(file);
    std::vector<char> buffer(size_t{64} << 10);
    Sha256 hash;
    for (std::string_view piece; !(piece = reader.next(buffer)).empty();) hash.update(piece);
    return "sha256:" + hash.finish_hex();
}

} // namespace opcat
