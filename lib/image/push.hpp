// Pushes images to registries: the OCI distribution specification, "Push".
#pragma once

#include "opcat/image/image_io.hpp"
#include "opcat/image/registry.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace opcat::image {

// Which repositories have which blobs, as far as the run knows: a blob that a registry has already need not
// be sent again. Thread-safe.
class KnownBlobs {
public:
    // `spec` names the repository.
    void add(const PullSpec& spec, const std::string& digest);
    bool has(const PullSpec& spec, const std::string& digest) const;
    // A repository of the same registry that has it; always the same one, because each may need a token of
    // its own.
    std::optional<std::string> elsewhere(const PullSpec& spec, const std::string& digest) const;

    // Held while a tag of referrers (referrers.hpp) in this repository is looked at and written.
    std::mutex& referrers_mutex(const PullSpec& spec);

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::mutex> referrers_mutexes_; // by the name of the repository
    // By registry and digest: repositories, the first one that had it at the front.
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> repositories_;
};

// Blobs are passed on in pieces of this size, so this much of each is in memory.
inline constexpr uint64_t upload_piece = uint64_t{8} << 20;

// The last request of an upload may take the registry long: it moves and hashes the whole blob.
inline constexpr unsigned patience_at_the_end = 10;

// The endpoint's spec names the image; without tag and digest it is "latest", and one with a digest only
// accepts that image. Client and blobs must outlive the writer.
// An image never replaces referrers: under the tag that belongs to those of its own digest it only stays
// while there are none; it then has the 64 digits as its tag. Under that of another digest it is refused.
// After a manifest with a subject, the writer lists it under that tag if the registry does not.
std::unique_ptr<ImageWriter> write_to_registry(RegistryClient& client, KnownBlobs& known, Endpoint endpoint);

// Removes an image that is named by its digest; false if it does not exist. In a registry without the API for
// referrers, what refers to it is not listed any more, nor it as a referrer. Throws Error.
bool delete_from_registry(RegistryClient& client, KnownBlobs& known, const Endpoint& endpoint,
                          const std::string& digest);

} // namespace opcat::image
