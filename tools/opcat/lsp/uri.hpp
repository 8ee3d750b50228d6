// File URIs (RFC 8089), as editors name files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opcat::lsp {

// The absolute path of a "file:" URI; nothing for others.
std::optional<std::string> path_of_uri(std::string_view uri);
std::string uri_of_path(std::string_view path);

} // namespace opcat::lsp
