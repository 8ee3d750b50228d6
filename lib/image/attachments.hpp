// Finds what is attached to images in registries: the tags of cosign (sha256-….sig, .att, .sbom) and
// referrers.
#pragma once

#include "opcat/image/image_stores.hpp"
#include "opcat/image/registries_conf.hpp"
#include "opcat/image/registry.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat::image {

// Remembers what registries can, and the tags of repositories. Thread-safe.
class AttachmentFinder {
public:
    explicit AttachmentFinder(RegistryClient& client) : client_(client) {}

    // What is attached to the image of the endpoint, to those that it names if it is an index, and to what is
    // attached. A registry that knows neither has none. Throws Error if the registry cannot be reached, has
    // no such image, or gives an answer that is broken.
    struct Found {
        std::vector<std::string> references; // tags, and digests of referrers
        bool is_complete = true;             // else the registry does not let this account look for all
    };
    Found find(const Endpoint& endpoint, Attachments wanted);

private:
    // Tags that begin with "sha256-"; nothing if the registry does not list them all.
    using Tags = std::optional<std::set<std::string>>;
    struct Repository {
        std::mutex mutex;
        bool listed = false;
        Tags tags;
    };
    class Search;

    const Tags& tags_of(const Endpoint& endpoint);
    bool lacks_api(const std::string& registry);

    RegistryClient& client_;
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Repository>> repositories_; // by name
    std::set<std::string> without_api_;                               // registries
};

} // namespace opcat::image
