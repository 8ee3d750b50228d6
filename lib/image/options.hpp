// What a caller decides about where images come from. The library reads no environment variables.
#pragma once

#include "opcat/base/error.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opcat::image {

// As in Go and in image indexes: "linux", "arm64", "v8".
struct Platform {
    std::string os;
    std::string architecture;
    std::string variant;

    // "os/arch" or "os/arch/variant".
    static Parsed<Platform> parse(std::string_view text);
    // Linux on this machine's architecture.
    static Platform here();
    std::string to_string() const;

    friend bool operator==(const Platform&, const Platform&) = default;
};

struct PlatformChoice {
    // What the image must be for. Not given: linux on this machine's architecture, or no platform in
    // particular.
    std::optional<Platform> wanted;
    // Where an index has nothing for this machine, the first image is taken, with a warning: what is in
    // catalogs and bundles does not depend on the platform. False: that is an error, as it is to opm.
    bool or_first = true;
};

struct Options {
    // Registries.
    bool skip_tls_verify = false; // HTTPS with whatever certificate
    bool use_http = false;        // plain HTTP only
    // Certificates as containers-certs.d(5) has them: *.crt are CAs that are trusted besides the system's,
    // *.cert with *.key are what we show to the registry. One directory for all registries, and directories
    // that hold one directory per HOST[:PORT].
    std::optional<std::filesystem::path> cert_directory;
    std::vector<std::filesystem::path> host_cert_directories;
    // Instead of the system's CAs: a bundle, or a directory of hashed files.
    std::optional<std::filesystem::path> ca_file;
    std::optional<std::filesystem::path> ca_directory;
    // Files with credentials as containers-auth.json(5) has them, also Docker's config.json; the first that
    // knows the registry counts. Files that do not exist are passed over.
    std::vector<std::filesystem::path> auth_files;
    // containers-registries.conf(5), version 2: files, and directories whose *.conf are read in the order of
    // their names. What is read later replaces what was read before for the same prefix. May not exist.
    std::vector<std::filesystem::path> registries_conf;
    std::string user_agent = "opcat";

    PlatformChoice platform; // which image of several

    // Where blobs are kept from one run to the next; nowhere if not given.
    std::optional<std::filesystem::path> cache;
    // Where temporary directories are made.
    std::filesystem::path temporary = "/tmp";
    // Bytes of all layers of an image (and of an archive) when they are unpacked.
    uint64_t max_unpacked_size = uint64_t{4} << 30;

    unsigned requests_per_second = 0; // to registries, all together; 0: no limit
    std::chrono::milliseconds connect_timeout{15'000};
    // How long a transfer may go without a byte.
    std::chrono::seconds stall_timeout{30};
    // How often a request is repeated after a failure that may pass: a broken connection, 429, 5xx. The wait
    // before it doubles each time, unless the server says how long it is to be.
    unsigned retries = 5;
    std::chrono::milliseconds first_retry_delay{500};
    // The longest wait that a server may ask for.
    std::chrono::seconds longest_retry_delay{60};
};

} // namespace opcat::image
