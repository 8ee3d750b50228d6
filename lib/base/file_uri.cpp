#include "opcat/base/file_uri.hpp"

#include "opcat/base/text.hpp"

#include <filesystem>

namespace opcat {

std::optional<std::string> path_of_uri(std::string_view uri) {
    constexpr std::string_view scheme = "file://";
    if (!uri.starts_with(scheme)) return std::nullopt;
    uri.remove_prefix(scheme.size());
    constexpr std::string_view local = "localhost";
    if (uri.starts_with(local)) uri.remove_prefix(local.size());
    if (!uri.starts_with('/')) return std::nullopt;
    const auto path = unescape_url(uri.substr(0, uri.find_first_of("?#")));
    if (!path || path->find('\0') != path->npos) return std::nullopt;
    return std::filesystem::path(*path).lexically_normal().string();
}

std::string uri_of_path(std::string_view path) {
    return (path.starts_with('/') ? "file://" : "") + escape_for_url(path, "-._~/");
}

} // namespace opcat
