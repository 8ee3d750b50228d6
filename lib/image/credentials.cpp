#include "image/credentials.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "image/printable.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat::image {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr uint64_t max_auth_file = 4 << 20;
constexpr std::chrono::seconds helper_timeout{60};

// Some write it over several lines, or leave the padding out.
std::optional<std::string> decode_loosely(std::string text) {
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
    while (text.size() % 4 != 0) text += '=';
    return decode_base64(text);
}

std::string string_member(const Json& object, const char* name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// Old entries are URLs: "https://index.docker.io/v1/" is the registry index.docker.io.
std::string registry_of_key(std::string_view key) {
    for (const std::string_view scheme : {"https://", "http://"})
        if (key.starts_with(scheme)) key.remove_prefix(scheme.size());
    return std::string(key.substr(0, key.find('/')));
}

bool is_docker_hub(std::string_view registry) {
    return registry == "docker.io" || registry == "index.docker.io" || registry == "registry-1.docker.io";
}

bool same_registry(std::string_view a, std::string_view b) {
    return a == b || (is_docker_hub(a) && is_docker_hub(b));
}

// What helpers know a registry by.
std::string server_of(const std::string& registry) {
    return is_docker_hub(registry) ? "https://index.docker.io/v1/" : registry;
}

std::optional<Credentials> read_entry(const Json& entry, const std::string& file, const std::string& key) {
    if (!entry.is_object()) return std::nullopt;
    Credentials found{string_member(entry, "username"), string_member(entry, "password"),
                      string_member(entry, "identitytoken"), string_member(entry, "registrytoken")};
    if (const std::string encoded = string_member(entry, "auth"); !encoded.empty()) {
        const auto decoded = decode_loosely(encoded);
        const size_t colon = decoded ? decoded->find(':') : std::string::npos;
        if (colon == std::string::npos)
            throw Error(
                fmt::format("the entry for {} in {} is damaged: its auth is not USER:PASSWORD in base64",
                            printable(key), file));
        found.user = decoded->substr(0, colon);
        found.password = decoded->substr(colon + 1);
        while (!found.password.empty() && found.password.back() == '\0') found.password.pop_back();
    }
    if (found.user.empty() && found.identity_token.empty() && found.registry_token.empty())
        return std::nullopt;
    return found;
}

// Runs docker-credential-NAME, which answers in JSON. Its output may hold a secret and is not shown.
std::optional<Credentials> ask_helper(const std::string& helper, const std::string& server,
                                      const std::string& file) {
    if (helper.find('/') != std::string::npos)
        throw Error(
            fmt::format("the credential helper \"{}\" in {} is no plain name", printable(helper), file));
    const std::string program = "docker-credential-" + helper;
    ProcessResult result;
    try {
        result = run_process({{program, "get"}, server, helper_timeout, 1 << 20});
    } catch (const Error& error) {
        throw Error(fmt::format("{}, which {} names for {}", error.what(), file, server),
                    "install it, or remove the entry");
    }
    if (result.exit_status != 0) {
        if (result.out.find("credentials not found") != std::string::npos ||
            result.err.find("credentials not found") != std::string::npos)
            return std::nullopt;
        throw Error(fmt::format("{} failed for {} with exit status {}", program, server, result.exit_status));
    }
    const Json answer = Json::parse(result.out, nullptr, false);
    if (!answer.is_object())
        throw Error(fmt::format("{} answered with something that is no JSON object", program));
    const std::string user = string_member(answer, "Username");
    const std::string secret = string_member(answer, "Secret");
    if (user.empty() && secret.empty()) return std::nullopt;
    if (user == "<token>") return Credentials{"", "", secret, ""};
    return Credentials{user, secret, "", ""};
}

std::optional<Credentials> from_entries(const Json& entries, const std::string& registry,
                                        const std::string& repository, const std::string& file) {
    // "quay.io/org/repo", then "quay.io/org", then "quay.io".
    for (std::string key = fmt::format("{}/{}", registry, repository); !key.empty();) {
        if (const auto at = entries.find(key); at != entries.end())
            if (auto found = read_entry(*at, file, key)) return found;
        const size_t slash = key.rfind('/');
        key.resize(slash == std::string::npos ? 0 : slash);
    }
    for (const auto& [key, entry] : entries.items()) {
        const bool is_path = key.find("://") == std::string::npos && key.find('/') != std::string::npos;
        if (!is_path && same_registry(registry_of_key(key), registry))
            if (auto found = read_entry(entry, file, key)) return found;
    }
    return std::nullopt;
}

std::optional<Credentials> from_file(const fs::path& path, const std::string& registry,
                                     const std::string& repository) {
    const std::string file = path.string();
    const auto source = read_file(path, file, max_auth_file);
    const Json json = Json::parse(source->bytes(), nullptr, false);
    if (!json.is_object())
        throw Error(fmt::format("cannot use the credentials in {}: it is no JSON object", file));
    if (const auto helpers = json.find("credHelpers"); helpers != json.end() && helpers->is_object())
        for (const auto& [host, helper] : helpers->items())
            if (helper.is_string() && same_registry(registry_of_key(host), registry))
                if (auto found = ask_helper(helper.get<std::string>(), server_of(registry), file))
                    return found;
    if (const auto entries = json.find("auths"); entries != json.end() && entries->is_object())
        if (auto found = from_entries(*entries, registry, repository, file)) return found;
    if (const std::string store = string_member(json, "credsStore"); !store.empty())
        return ask_helper(store, server_of(registry), file);
    return std::nullopt;
}

} // namespace

std::string Credentials::basic() const {
    return "Basic " + encode_base64(user + ':' + password);
}

std::optional<Credentials> find_credentials(const std::vector<fs::path>& files, const std::string& registry,
                                            const std::string& repository) {
    for (const fs::path& file : files) {
        std::error_code unreadable;
        if (!fs::exists(file, unreadable)) continue;
        if (auto found = from_file(file, registry, repository)) return found;
    }
    return std::nullopt;
}

} // namespace opcat::image
