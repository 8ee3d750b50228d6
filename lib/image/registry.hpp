// Registries: the API of the OCI distribution specification.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/image/blob_store.hpp"
#include "opcat/image/http.hpp"
#include "opcat/image/image_io.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/registries_conf.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::image {

// A request about a repository.
struct RegistryRequest {
    std::string path; // below /v2/REPOSITORY/; with a slash at its start, below the host
    std::string method = "GET";
    std::optional<Url> url = {}; // in place of the path: where to continue an upload
    std::string_view accept = {};
    std::optional<std::string_view> body = {};
    std::string content_type = "application/octet-stream";
    std::string content_range = {};
    bool repeat = true;    // after temporary failures
    unsigned patience = 1; // see HttpRequest
};

// Talks to all registries, and keeps their access tokens. Thread-safe.
class RegistryClient {
public:
    explicit RegistryClient(const Options& options);

    // The manifest of the endpoint's spec, or of a digest: that one is asked for once. Throws Error.
    std::string manifest(const Endpoint& endpoint, const std::string& reference);
    void blob(const Endpoint& endpoint, const Descriptor& blob, BlobSink& file);

    // The answer, of any status; the body of a successful one goes to `file`, if given. Throws Error.
    HttpResponse send(const Endpoint& endpoint, const RegistryRequest& request, BlobSink* file = nullptr);
    // Returns true if the registry says that it keeps signatures of images (X-Registry-Supports-Signatures,
    // as OpenShift's own does). Sends one request to each registry. Throws Error.
    bool keeps_signatures(const Endpoint& endpoint);
    // For other servers.
    HttpClient& http() { return http_; }
    // Like HttpClient's, also for requests that are not repeated automatically.
    void wait_before_retry(unsigned attempt, const HttpResponse* answer, const Endpoint& endpoint) const {
        http_.wait_before_retry(attempt, answer, endpoint.spec.registry());
    }
    const Options& options() const { return options_; }

private:
    struct Access {
        std::mutex mutex;
        std::string authorization;
    };
    HttpResponse send_over(const std::string& scheme, const Endpoint& endpoint,
                           const RegistryRequest& request, BlobSink* file);
    std::shared_ptr<Access> access_to(const PullSpec& spec);

    const Options& options_;
    HttpClient http_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Access>> access_; // by the name of the repository
    std::map<std::string, std::string> schemes_;            // of insecure registries, by host
    std::map<std::string, bool> keep_signatures_;           // by host
    std::map<std::string, std::string> manifests_;          // by their names with digests
    size_t size_of_manifests_ = 0;
};

// The policy does not accept an image: what another place has is not looked at then.
class NotAccepted : public Error {
public:
    explicit NotAccepted(const Error& error) : Error(error) {}
};

// To be called with each manifest of an image before anything that it names is read, and with the place that
// has sent it. An index itself is not looked at: the images in it are. Throws NotAccepted. Empty: nothing is
// verified.
using CheckManifest = std::function<void(const std::string& manifest, const Endpoint& from)>;

// The host, with its port if it has one, that serves the API of a registry.
std::string api_host(const std::string& registry);

// Returns true if an answer has an error of this code of the distribution specification, e.g. DIGEST_INVALID.
bool has_error(const HttpResponse& answer, std::string_view code);

// Throws the Error for an unexpected answer: "HOST has no WHAT in REPOSITORY (404: …)", or if `pushing`,
// "HOST does not take WHAT into REPOSITORY (403: …)".
[[noreturn]] void refuse(const HttpResponse& answer, const Endpoint& endpoint, const std::string& what,
                         bool pushing = false);

// Opens an image at the first endpoint that has it; its blobs go through `store`. Throws Error.
std::unique_ptr<Source> open_in_registry(RegistryClient& client, BlobStore& store,
                                         std::vector<Endpoint> endpoints, const PlatformChoice& platform,
                                         const CheckManifest& check);

// Returns true if the store has all of an image, which can then be opened without a request.
bool is_kept(BlobStore& store, const std::string& digest, const PlatformChoice& platform);

// The same image, for byte-exact reading. Throws Error.
std::unique_ptr<ImageReader> read_from_registry(RegistryClient& client, std::vector<Endpoint> endpoints,
                                                CheckManifest check = {});

// The digest of the manifest or index of the endpoints' spec, from the first endpoint that has it: one
// request, or none for a spec with a digest. Throws Error.
std::string digest_in_registry(RegistryClient& client, const std::vector<Endpoint>& endpoints);

// Returns true if the endpoints' spec, at the first endpoint that has it, resolves to the manifest or index
// of this digest, or to an index that contains it: one request. Throws Error.
bool stands_for(RegistryClient& client, const std::vector<Endpoint>& endpoints, std::string_view digest);

} // namespace opcat::image
