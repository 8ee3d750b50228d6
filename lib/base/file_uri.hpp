// File URIs (RFC 8089), as editors and reports name files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opcat {

// The absolute, normal path of a "file:" URI; nothing for others.
std::optional<std::string> path_of_uri(std::string_view uri);

// For a relative path a relative reference (RFC 3986).
std::string uri_of_path(std::string_view path);

} // namespace opcat
