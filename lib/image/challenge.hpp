// How a registry wants to be shown who asks: the WWW-Authenticate header (RFC 9110, section 11).
#pragma once

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

} // namespace opcat::image
