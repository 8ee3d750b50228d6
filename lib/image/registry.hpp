// Registries: the API of the OCI distribution specification.
#pragma once

#include "opcat/image/blob_store.hpp"
#include "opcat/image/http.hpp"
#include "opcat/image/image_io.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/registries_conf.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace opcat::image {

// A request about a repository.
struct RegistryRequest {
    std::string path; // below /v2/REPOSITORY/
    std::string method = "GET";
    std::optional<Url> url = {}; // in place of the path: where an upload that has begun goes on
    std::string_view accept = {};
    std::optional<std::string_view> body = {};
    std::string content_type = "application/octet-stream";
    std::string content_range = {};
    bool repeat = true;    // after a failure that may pass
    unsigned patience = 1; // see HttpRequest
};

// Talks to all registries, and remembers what it needed to be let in. May be used by several threads.
class RegistryClient {
public:
    explicit RegistryClient(const Options& options);

    // What the endpoint's spec names, or the content of a digest. Throws Error.
    std::string manifest(const Endpoint& endpoint, const std::string& reference);
    void blob(const Endpoint& endpoint, const Descriptor& blob, BlobSink& file);

    // The answer, whatever its status; the body of one that succeeds goes to `file`, if there is one. Throws
    // Error.
    HttpResponse send(const Endpoint& endpoint, const RegistryRequest& request, BlobSink* file = nullptr);
    // As HttpClient does, also for what is not repeated by itself.
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
};

// Throws the Error that an answer stands for which is not what was hoped for: "HOST has no WHAT in REPOSITORY
// (404: …)", or where `pushing`, "HOST does not take WHAT into REPOSITORY (403: …)".
[[noreturn]] void refuse(const HttpResponse& answer, const Endpoint& endpoint, const std::string& what,
                         bool pushing = false);

// Opens an image at the first of the endpoints that has it; its blobs go through `store`. Throws Error.
std::unique_ptr<Source> open_in_registry(RegistryClient& client, BlobStore& store,
                                         std::vector<Endpoint> endpoints, const PlatformChoice& platform);

// The same image, to be read as it is. Throws Error.
std::unique_ptr<ImageReader> read_from_registry(RegistryClient& client, std::vector<Endpoint> endpoints);

// The digest of the manifest or index that the endpoints' spec names, at the first of them that has it: one
// request, or none for a spec with a digest. Throws Error.
std::string digest_in_registry(RegistryClient& client, const std::vector<Endpoint>& endpoints);

// Whether the endpoints' spec, at the first of them that has it, stands for the manifest or index of this
// digest, or for an index that has it: one request. Throws Error.
bool stands_for(RegistryClient& client, const std::vector<Endpoint>& endpoints, std::string_view digest);

} // namespace opcat::image
