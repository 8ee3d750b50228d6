#pragma once

#include <string_view>
#include <vector>

// The parts of a path between its slashes.
inline std::vector<std::string_view> components(std::string_view path) {
    std::vector<std::string_view> parts;
    while (true) {
        const size_t slash = path.find('/');
        parts.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) return parts;
        path.remove_prefix(slash + 1);
    }
}
