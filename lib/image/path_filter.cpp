#include "image/path_filter.hpp"

namespace opcat::image {

std::string path_in_image(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const size_t slash = text.find('/');
        const std::string_view part = text.substr(0, slash);
        if (part == "..") {
            if (!parts.empty()) parts.pop_back();
        } else if (!part.empty() && part != ".") {
            parts.push_back(part);
        }
        text = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
    }
    std::string path;
    for (const std::string_view part : parts) {
        if (!path.empty()) path += '/';
        path += part;
    }
    return path;
}

bool PathFilter::wants(std::string_view path) const {
    while (true) {
        if (wanted_.contains(path)) return true;
        if (path.empty()) return false;
        const size_t slash = path.rfind('/');
        path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    }
}

bool PathFilter::leads_to_wanted(const std::string& path) const {
    const auto next = wanted_.lower_bound(path + '/');
    return next != wanted_.end() && next->starts_with(path + '/');
}

} // namespace opcat::image
