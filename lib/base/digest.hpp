// Content digests as registries write them: "sha256:" and 64 lower-case hex digits.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace opcat {

// Hashes a stream piece by piece.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void update(std::string_view bytes);
    // 64 lower-case hex digits. The object must not be used afterwards.
    std::string finish_hex();

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);

// For the names that git gives to contents: 40 lower-case hex digits.
std::string sha1_hex(std::string_view bytes);

std::array<uint8_t, 28> sha224(std::string_view bytes);

// "sha256:…". Throws Error if the file cannot be read.
std::string file_digest(const std::filesystem::path& file);

} // namespace opcat
