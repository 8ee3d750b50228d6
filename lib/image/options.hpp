// The caller's settings for images. The library does not read environment variables.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/base/pull_spec.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
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

// The architecture of a machine, by the name that its kernel has for it: "aarch64" is "arm64".
std::string go_architecture(std::string_view machine);

// Names with a digest that a run made of others, so that it uses one image throughout: the policy of
// signatures is about what the user has named. Thread-safe.
class PinnedNames {
public:
    void add(const std::string& pinned, const PullSpec& named) {
        const std::lock_guard lock(mutex_);
        named_.insert_or_assign(pinned, named);
    }
    std::optional<PullSpec> named(const std::string& pinned) const {
        const std::lock_guard lock(mutex_);
        const auto at = named_.find(pinned);
        return at == named_.end() ? std::nullopt : std::optional(at->second);
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, PullSpec> named_;
};

struct PlatformChoice {
    // The platform of the image. Default: linux on this machine's architecture, or no platform in particular.
    std::optional<Platform> wanted;
    // If an index has no image for this machine, the first one is used, with a warning: the content of
    // catalogs and bundles does not depend on the platform. False: that is an error, as in opm.
    bool or_first = true;
};

struct Options {
    // Registries.
    bool skip_tls_verify = false; // HTTPS with any certificate
    bool use_http = false;        // plain HTTP only
    // Certificates in the format of containers-certs.d(5): *.crt are trusted CAs in addition to the system's,
    // *.cert with *.key are client certificates. One directory for all registries, and directories that
    // contain one directory per HOST[:PORT].
    std::optional<std::filesystem::path> cert_directory;
    std::vector<std::filesystem::path> host_cert_directories;
    // Replaces the system's CAs: a bundle, or a directory of hashed files.
    std::optional<std::filesystem::path> ca_file;
    std::optional<std::filesystem::path> ca_directory;
    // Files with credentials in the format of containers-auth.json(5), also Docker's config.json; the first
    // one with an entry for the registry counts. Missing files are ignored.
    std::vector<std::filesystem::path> auth_files;
    // containers-registries.conf(5), version 2: files, and directories whose *.conf are read sorted by name.
    // Later entries replace earlier ones for the same prefix. One that is not there is an error, of the first
    // image that needs a registry: it may block a registry, or name a mirror.
    std::vector<std::filesystem::path> registries_conf;
    std::string user_agent = "opcat";

    // Signatures. A file of containers-policy.json(5); nothing: images are not verified.
    std::optional<std::filesystem::path> signature_policy;
    // Refuses what the policy accepts without a signature.
    bool require_signatures = false;
    std::shared_ptr<PinnedNames> pinned; // null: there are none
    // A directory of containers-registries.d(5); may not exist.
    std::filesystem::path signature_stores;
    // The URL of signatures where that directory names none.
    std::string usual_signature_store;

    PlatformChoice platform; // which image of several

    // Where blobs are kept between runs; nothing: nowhere.
    std::optional<std::filesystem::path> cache;
    // Where temporary directories are made.
    std::filesystem::path temporary = "/tmp";
    // The uncompressed size of all layers of an image (and of an archive), in bytes.
    uint64_t max_unpacked_size = uint64_t{4} << 30;

    unsigned requests_per_second = 0; // to all registries together; 0: no limit
    std::chrono::milliseconds connect_timeout{15'000};
    // How long a transfer may stall.
    std::chrono::seconds stall_timeout{30};
    // Bytes per second, on average after twice the stall timeout. A slower transfer counts as stalled.
    uint64_t slowest_rate = 4096;
    // How often a request is repeated after a temporary failure: a broken connection, 429, 5xx. The wait
    // before it doubles each time, unless the server says how long to wait.
    unsigned retries = 5;
    std::chrono::milliseconds first_retry_delay{500};
    // The longest wait that a server may ask for.
    std::chrono::seconds longest_retry_delay{60};
    // Hosts, as in URLs, to which registries may send uploads on, besides their own. Bytes of an image go to
    // no other place.
    std::vector<std::string> upload_hosts;
    bool may_upload_to(const std::string& host, const std::string& registry) const {
        return host == registry ||
               std::find(upload_hosts.begin(), upload_hosts.end(), host) != upload_hosts.end();
    }
    // Transfers and waits end with an Error within a second after another thread sets it; null: never.
    const std::atomic<bool>* cancelled = nullptr;
};

} // namespace opcat::image
