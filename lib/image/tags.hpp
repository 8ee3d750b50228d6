// The tags of a repository: the OCI distribution specification, "Listing Tags".
#pragma once

#include "opcat/image/registry.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace opcat::image {

using IsTag = std::function<bool(std::string_view)>;

// Where a list goes on, for answers of the registry's API; nothing: it is complete. Throws Error for a link
// that is none.
std::optional<Url> next_page(const HttpResponse& answer);

// The tags that `wanted` accepts; nothing if the registry does not list them all. Throws Error.
std::optional<std::set<std::string>> list_tags(RegistryClient& client, const Endpoint& endpoint,
                                               const IsTag& wanted);

// The images that tags name which `wanted` accepts, and those in their indexes: digest to tag. Lists of
// referrers name nothing. Nothing if the registry does not list all tags. Throws Error.
std::optional<std::map<std::string, std::string>>
images_named_by(RegistryClient& client, const Endpoint& endpoint, const IsTag& wanted);

} // namespace opcat::image
