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

private:
    mutable std::mutex mutex_;
    // By registry and digest: repositories, the first one that had it at the front.
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> repositories_;
};

// Blobs are passed on in pieces of this size, so this much of each is in memory.
inline constexpr uint64_t upload_piece = uint64_t{8} << 20;

// The endpoint's spec names the image; without tag and digest it is "latest", and one with a digest only
// accepts that image. Client and blobs must outlive the writer.
std::unique_ptr<ImageWriter> write_to_registry(RegistryClient& client, KnownBlobs& known, Endpoint endpoint);

// Removes an image that is named by its digest; false if it does not exist. Throws Error.
bool delete_from_registry(RegistryClient& client, const Endpoint& endpoint, const std::string& digest);

} // namespace opcat::image
