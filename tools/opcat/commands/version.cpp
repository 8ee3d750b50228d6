#include "command.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/base/shared_library.hpp"
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
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {

namespace {

// A library that this binary uses.
struct Library {
    std::string name;         // as the library is called by its authors
    std::string version;      // of the loaded one; for header-only libraries, of the compiled one
    std::string missing = {}; // not empty: how to install it
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

// The library `name`, whose version `ask` reads.
template <typename Ask>
Library loaded(const char* name, Ask ask) {
    try {
        return {name, ask()};
    } catch (const Error& error) {
        return {name, "", error.hint()};
    }
}

// Sorted by name.
std::vector<Library> libraries() {
    return {
        {"CLI11", CLI11_VERSION},
        {"CaDiCaL", CaDiCaL::Solver::version()},
        loaded("OpenSSL",
               [] {
                   const SharedLibrary crypto(library::crypto);
                   return second_word(OPCAT_FUNCTION(crypto, OpenSSL_version)(OPENSSL_VERSION));
               }),
        loaded("curl",
               [] {
                   const SharedLibrary curl(library::curl);
                   return std::string(OPCAT_FUNCTION(curl, curl_version_info)(CURLVERSION_NOW)->version);
               }),
        {"fmt", fmt_version()},
        loaded("libarchive",
               [] {
                   const SharedLibrary archive(library::archive);
                   return second_word(OPCAT_FUNCTION(archive, archive_version_string)());
               }),
        {"libyaml", yaml_get_version_string()},
        {"nlohmann-json",
         dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
        loaded("sqlite",
               [] {
                   const SharedLibrary sqlite(library::sqlite);
                   return std::string(OPCAT_FUNCTION(sqlite, sqlite3_libversion)());
               }),
        {"tomlplusplus", dotted(TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
    };
}

constexpr std::string_view system = OPCAT_GO_OS "/" OPCAT_GO_ARCH;
// NOLINTNEXTLINE(readability-redundant-string-init): it is not always empty
constexpr std::string_view commit = OPCAT_COMMIT;

std::string as_json() {
    nlohmann::ordered_json result{{"schema", "opcat.version.v1"},
                                  {"version", OPCAT_VERSION},
                                  {"compiler", OPCAT_COMPILER},
                                  {"system", system}};
    if (!commit.empty()) result["commit"] = commit;
    if (!c_library().empty()) result["cLibrary"] = c_library();
    for (const Library& library : libraries())
        if (library.missing.empty()) result["libraries"][library.name] = library.version;
    return as_document(result);
}

// One line for each thing.
std::string as_build_info() {
    std::vector<std::pair<std::string, std::string>> rows{
        {"version", OPCAT_VERSION},
        {"commit", std::string(commit.empty() ? "unknown" : commit)},
        {"system", std::string(system)},
        {"compiler", OPCAT_COMPILER},
    };
    if (!c_library().empty()) rows.emplace_back("C library", c_library());
    for (const Library& library : libraries())
        rows.emplace_back(library.name,
                          library.missing.empty() ? library.version : "missing; " + library.missing);
    std::string text;
    for (const auto& [name, value] : rows) text += fmt::format("{:<15}{}\n", name, value);
    return text;
}

// The form in which opm prints it, for scripts that read that.
constexpr std::string_view as_opm =
    "Version: version.Version{OpmVersion:\"opcat-" OPCAT_VERSION
    "\", GitCommit:\"\", BuildDate:\"\", GoOs:\"" OPCAT_GO_OS "\", GoArch:\"" OPCAT_GO_ARCH "\"}\n";

} // namespace

void add_version(Command tree, Session& session) {
    const Command command = tree.add_command("version", "Print the version");
    if (session.as_opm()) {
        command.callback([&session] { session.out.write(as_opm); });
        return;
    }
    struct Options {
        Form format = Form::text;
        bool build_info = false;
    };
    const auto options = std::make_shared<Options>();
    command.add_choice("-o,--output", options->format, {Form::text, Form::json},
                       "text, or json, which also has the versions of the libraries");
    command.add_flag("--build-info", options->build_info,
                     "Also print the commit, the compiler, and the versions of the libraries");
    command.footer("Examples:\n  opcat version -o json\n  opcat version --build-info");
    command.callback([options, &session] {
        session.out.write(options->format == Form::json ? as_json()
                          : options->build_info         ? as_build_info()
                                                        : "opcat " OPCAT_VERSION "\n");
    });
}

} // namespace opcat
