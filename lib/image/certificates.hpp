// Certificates of one's own for a registry: containers-certs.d(5).
#pragma once

#include "image/options.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace opcat::image {

struct ClientCertificate {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

struct Certificates {
    std::vector<std::filesystem::path> authorities; // trusted besides the usual ones
    std::optional<ClientCertificate> client;
};

// Those for `host` ("quay.io", "localhost:5000"). Throws Error on a certificate without its key.
Certificates find_certificates(const Options& options, const std::string& host);

} // namespace opcat::image
