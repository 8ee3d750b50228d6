// Access to a registry: stored credentials, and the tokens that a registry requires.
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

// The Authorization header for requests to `spec`'s repository, after the registry at `request.url` has
// answered `refusal` (401). Looks for credentials, and requests a token if the registry names a token server.
// Empty if none of the registry's schemes is supported. Throws Error.
std::string authorize(HttpClient& http, const Options& options, const PullSpec& spec,
                      const HttpRequest& request, const HttpResponse& refusal);

// The logins that podman and docker store: containers-auth.json(5), Docker's config.json and its helpers.
struct Credentials {
    std::string user;
    std::string password;
    std::string identity_token; // in place of a password: exchanged at the token server
    std::string registry_token; // in place of the others: sent to the registry unchanged

    // The value of an Authorization header, for the basic scheme.
    std::string basic() const;
};

// For a repository ("quay.io", "org/repo"), from the first file that has an entry for it: by the helper of
// its registry, by its own name or the nearest path above it, or by the store of the file. Nothing if none
// does. Throws Error for a file that cannot be read or parsed and for a helper that fails; messages do not
// contain secrets.
std::optional<Credentials> find_credentials(const std::vector<std::filesystem::path>& files,
                                            const std::string& registry, const std::string& repository);

} // namespace opcat::image
