// Being let in by a registry.
#pragma once

#include "base/pull_spec.hpp"
#include "image/http.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

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

} // namespace opcat::image
