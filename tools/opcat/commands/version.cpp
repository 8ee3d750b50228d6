#include "command.hpp"
#include "opcat/base/shared_library.hpp"
#include "opcat/base/text.hpp"
#include "terminal/session.hpp"

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
#include <memory>
#include <string>
#include <vector>

namespace opcat {

namespace {

// The libraries that this binary runs with.
struct Library {
    std::string name;    // as the library is called by its authors
    std::string version; // of what is loaded now; for libraries that are all headers, of what was compiled in
};

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

// Sorted by name.
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

std::string as_json() {
    nlohmann::ordered_json result{
        {"schema", "opcat.version.v1"}, {"version", OPCAT_VERSION}, {"compiler", OPCAT_COMPILER}};
    for (const Library& library : libraries()) result["libraries"][library.name] = library.version;
    return as_document(result);
}

// The form in which opm prints it, for scripts that read that.
constexpr std::string_view as_opm =
    "Version: version.Version{OpmVersion:\"opcat-" OPCAT_VERSION
    "\", GitCommit:\"\", BuildDate:\"\", GoOs:\"linux\", GoArch:\"" OPCAT_GO_ARCH "\"}\n";

} // namespace

void add_version(Command tree, Session& session) {
    const Command command = tree.add_command("version", "Print the version");
    if (session.as_opm()) {
        command.callback([&session] { session.out.write(as_opm); });
        return;
    }
    const auto format = std::make_shared<std::string>("text");
    command.add_option("-o,--output", *format, "text, or json, which also has the versions of the libraries")
        .one_of({"text", "json"});
    command.footer("Example:\n  opcat version -o json");
    command.callback([format, &session] {
        session.out.write(*format == "json" ? as_json() : "opcat " OPCAT_VERSION "\n");
    });
}

} // namespace opcat
