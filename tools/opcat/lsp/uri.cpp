#include "lsp/uri.hpp"

#include "opcat/base/text.hpp"

#include <charconv>
#include <filesystem>

namespace opcat::lsp {

std::optional<std::string> path_of_uri(std::string_view uri) {
    constexpr std::string_view scheme = "file://";
    if (!uri.starts_with(scheme)) return std::nullopt;
    uri.remove_prefix(scheme.size());
    constexpr std::string_view local = "localhost";
    if (uri.starts_with(local)) uri.remove_prefix(local.size());
    if (!uri.starts_with('/')) return std::nullopt;
    uri = uri.substr(0, uri.find_first_of("?#"));
    std::string path;
    for (size_t i = 0; i < uri.size(); ++i) {
        unsigned char byte = 0;
        if (uri[i] == '%' && i + 2 < uri.size()) {
            const char* const end = uri.data() + i + 3;
            const auto [rest, failed] = std::from_chars(uri.data() + i + 1, end, byte, 16);
            if (failed == std::errc() && rest == end) {
                path += static_cast<char>(byte);
                i += 2;
                continue;
            }
        }
        path += uri[i];
    }
    if (path.find('\0') != path.npos) return std::nullopt;
    return std::filesystem::path(path).lexically_normal().string();
}

std::string uri_of_path(std::string_view path) {
    return "file://" + escape_for_url(path, "-._~/");
}

} // namespace opcat::lsp
