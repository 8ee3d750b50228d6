// The manifests of one repository, and its lists of referrers, which a registry without the API for them has
// under tags.
#pragma once

#include "opcat/image/referrers.hpp"
#include "opcat/image/registry.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace opcat::image {

// All throw Error.
class RepositoryManifests {
public:
    // `lists` is held while a list of referrers is looked at and written.
    RepositoryManifests(RegistryClient& client, const Endpoint& endpoint, std::mutex& lists)
        : client_(client), endpoint_(endpoint), lists_(lists) {}

    // The answer, of any status that does not pass.
    HttpResponse look_at(const std::string& reference);
    // Returns the digest in a successful answer.
    std::string digest_in(const HttpResponse& answer, const std::string& reference);
    // Returns the manifest of the image with this digest, which may have the tag of its referrers. Nothing:
    // it is not there.
    std::optional<std::string> find_own(const HttpResponse& answer, const std::string& tag,
                                        const std::string& digest);

    // Lists a manifest with a subject there, if the registry does not do it.
    void put(const std::string& bytes, const std::string& reference);
    // Gives an image the tag of its own referrers while there are none, and else its 64 digits.
    void put_beside_referrers(const std::string& bytes, const std::string& digest, const std::string& tag);
    // False if there is none. It is not listed any more, nor are its referrers.
    bool remove(const std::string& digest);

private:
    HttpResponse send_manifest(const std::string& bytes, const std::string& reference);
    HttpResponse put_only(const std::string& bytes, const std::string& reference);
    bool remove_only(const std::string& digest);
    void list_if_needed(const std::string& bytes, const HttpResponse& answer);
    void list(const std::string& subject, const std::string& manifest);
    // Writes the list of a subject again, or removes it, if it is there and `change` says so.
    void change_list(const std::string& subject, const std::function<bool(std::vector<Referrer>&)>& change);

    RegistryClient& client_;
    const Endpoint& endpoint_;
    std::mutex& lists_;
};

} // namespace opcat::image
