#include "environment.hpp"

#include <cstdlib>

namespace opcat {
namespace fs = std::filesystem;
namespace {

// A base directory that is not absolute is to be ignored, says the specification.
std::optional<fs::path> base_directory(const char* variable, const char* default_below_home) {
    auto path = path_variable(variable);
    return path && path->is_absolute() ? path : below_home(default_below_home);
}

} // namespace

std::optional<fs::path> path_variable(const char* name) {
    const char* const value = std::getenv(name);
    if (!value || !*value) return std::nullopt;
    return fs::path(value);
}

std::optional<fs::path> below_home(const fs::path& path) {
    const auto home = path_variable("HOME");
    if (!home) return std::nullopt;
    return *home / path;
}

std::optional<fs::path> config_home() {
    return base_directory("XDG_CONFIG_HOME", ".config");
}

std::optional<fs::path> cache_directory() {
    const auto base = base_directory("XDG_CACHE_HOME", ".cache");
    if (!base) return std::nullopt;
    return *base / "opcat";
}

fs::path own_program() {
    std::error_code failed;
    return fs::read_symlink("/proc/self/exe", failed);
}

fs::path temporary_directory() {
    return path_variable("TMPDIR").value_or("/tmp");
}

} // namespace opcat
