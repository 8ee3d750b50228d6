// Where podman and docker keep what they log in with: containers-auth.json(5), Docker's config.json and its
// helpers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opcat::image {

struct Credentials {
    std::string user;
    std::string password;
    std::string identity_token; // in place of a password: to be exchanged at the token server
    std::string registry_token; // in place of all others: to be shown to the registry as it is

    // The value of an Authorization header, for the basic scheme.
    std::string basic() const;
};

// For a repository ("quay.io", "org/repo"), from the first file that knows it: by the helper of its registry,
// by its own name or the nearest path above it, or by the store of the file. Nothing if none does. Throws
// Error on a file that cannot be read or understood and on a helper that fails; no message has a secret in
// it.
std::optional<Credentials> find_credentials(const std::vector<std::filesystem::path>& files,
                                            const std::string& registry, const std::string& repository);

} // namespace opcat::image
