// Access to a registry: stored credentials, and the token that a registry asks for.
#pragma once

#include "opcat/base/pull_spec.hpp"
#include "opcat/image/http.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::image {

struct Challenge {
    std::string scheme;                            // in lower case
    std::map<std::string, std::string> parameters; // names in lower case

    std::string parameter(const std::string& name) const; // empty if there is none
};

// The first challenge of the scheme ("bearer", "basic") in a header's value, which may hold several.
std::optional<Challenge> find_challenge(std::string_view header, std::string_view scheme);

// What to put into the Authorization header of requests to `spec`'s repository, after the registry at
// `request.url` has answered `refusal` (401). Looks for credentials and asks a token server where the
// registry names one. Empty if the registry asks for nothing that we have. Throws Error.
std::string authorize(HttpClient& http, const Options& options, const PullSpec& spec,
                      const HttpRequest& request, const HttpResponse& refusal);

// What podman and docker store to log in: containers-auth.json(5), Docker's config.json and its helpers.
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
