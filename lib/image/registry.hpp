// Registries: the API of the OCI distribution specification, for pulling.
#pragma once

#include "opcat/image/blob_store.hpp"
#include "opcat/image/http.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/registries_conf.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace opcat::image {

// Talks to all registries, and remembers what it needed to be let in. May be used by several threads.
class RegistryClient {
public:
    explicit RegistryClient(const Options& options);

    // What the endpoint's spec names, or the content of a digest. Throws Error.
    std::string manifest(const Endpoint& endpoint, const std::string& reference);
    void blob(const Endpoint& endpoint, const Descriptor& blob, PartialFile& file);

private:
    struct Access {
        std::mutex mutex;
        std::string authorization;
    };
    HttpResponse get(const Endpoint& endpoint, const std::string& path, std::string_view accept,
                     PartialFile* file);
    HttpResponse get_over(const std::string& scheme, const Endpoint& endpoint, const std::string& path,
                          std::string_view accept, PartialFile* file);
    std::shared_ptr<Access> access_to(const PullSpec& spec);

    const Options& options_;
    HttpClient http_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Access>> access_; // by the name of the repository
    std::map<std::string, std::string> schemes_;            // of insecure registries, by host
};

// Opens an image at the first of the endpoints that has it; its blobs go through `store`. Throws Error.
std::unique_ptr<Source> open_in_registry(RegistryClient& client, BlobStore& store,
                                         std::vector<Endpoint> endpoints, const PlatformChoice& platform);

// The digest of the manifest or index that the endpoints' spec names, at the first of them that has it: one
// request, or none for a spec with a digest. Throws Error.
std::string digest_in_registry(RegistryClient& client, const std::vector<Endpoint>& endpoints);

// Whether the endpoints' spec, at the first of them that has it, stands for the manifest or index of this
// digest, or for an index that has it: one request. Throws Error.
bool stands_for(RegistryClient& client, const std::vector<Endpoint>& endpoints, std::string_view digest);

} // namespace opcat::image
