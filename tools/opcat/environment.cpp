#include "environment.hpp"

#include "opcat/base/text.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

namespace opcat {
namespace fs = std::filesystem;
namespace {

// The specification says that relative base directories must be ignored.
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

bool has_utf8_locale() {
    for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const auto set = path_variable(variable)) {
            const std::string name = ascii_lower(set->string());
            return name.find("utf-8") != name.npos || name.find("utf8") != name.npos;
        }
    return false;
}

unsigned exported_columns() {
    const auto text = path_variable("COLUMNS").value_or("").string();
    unsigned columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    return error == std::errc() && end == text.data() + text.size() ? columns : 0;
}

fs::path temporary_directory() {
    return path_variable("TMPDIR").value_or("/tmp");
}

} // namespace opcat
