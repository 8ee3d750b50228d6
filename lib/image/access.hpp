// Being let in by a registry.
#pragma once

#include "image/http.hpp"
#include "support/pull_spec.hpp"

#include <string>

namespace opcat::image {

// What to put into the Authorization header of requests to `spec`'s repository, after the registry at
// `request.url` has answered `refusal` (401). Looks for credentials and asks a token server where the
// registry names one. Empty if the registry asks for nothing that we have. Throws Error.
std::string authorize(HttpClient& http, const Options& options, const PullSpec& spec,
                      const HttpRequest& request, const HttpResponse& refusal);

} // namespace opcat::image
