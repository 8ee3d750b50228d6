#include "libraries.hpp"

#include "base/shared_library.hpp"

#include <CLI/Version.hpp>
#include <archive.h>
#include <cadical.hpp>
#include <curl/curl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <toml++/toml.h>
#include <yaml.h>

#include <cstring>

namespace opcat {
namespace {

// "libarchive 3.6.2" and "OpenSSL 3.0.15 3 Sep 2024" name themselves before the number.
std::string second_word(const char* text) {
    const char* const begin = std::strchr(text, ' ');
    if (!begin) return text;
    const char* const end = std::strchr(begin + 1, ' ');
    return end ? std::string(begin + 1, end) : std::string(begin + 1);
}

std::string fmt_version() {
    return fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

template <typename... Numbers>
std::string dotted(Numbers... numbers) {
    return fmt::format("{}.{}.{}", numbers...);
}

} // namespace

std::vector<Library> libraries() {
    const decltype(&::archive_version_string) archive =
        OPCAT_FUNCTION(SharedLibrary(library::archive), archive_version_string);
    const decltype(&::curl_version_info) curl =
        OPCAT_FUNCTION(SharedLibrary(library::curl), curl_version_info);
    const decltype(&::OpenSSL_version) openssl =
        OPCAT_FUNCTION(SharedLibrary(library::crypto), OpenSSL_version);
    const decltype(&::sqlite3_libversion) sqlite =
        OPCAT_FUNCTION(SharedLibrary(library::sqlite), sqlite3_libversion);
    return {
        {"CLI11", CLI11_VERSION},
        {"CaDiCaL", CaDiCaL::Solver::version()},
        {"OpenSSL", second_word(openssl(OPENSSL_VERSION))},
        {"curl", curl(CURLVERSION_NOW)->version},
        {"fmt", fmt_version()},
        {"libarchive", second_word(archive())},
        {"libyaml", yaml_get_version_string()},
        {"nlohmann-json",
         dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
        {"sqlite", sqlite()},
        {"tomlplusplus", dotted(TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
    };
}

} // namespace opcat
