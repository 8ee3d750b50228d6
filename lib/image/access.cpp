#include "opcat/image/access.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/process.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace opcat::image {
namespace {

bool is_token(char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
}

class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }
    bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
    void skip() { rest_.remove_prefix(1); }
    void skip_all(std::string_view characters) {
        while (!rest_.empty() && characters.find(rest_.front()) != std::string_view::npos) skip();
    }
    std::string token() {
        size_t length = 0;
        while (length < rest_.size() && is_token(rest_[length])) ++length;
        std::string text(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return text;
    }
    // A token, or a string in quotes.
    std::string value() {
        if (!next_is('"')) return token();
        std::string text;
        for (skip(); !rest_.empty() && !next_is('"'); skip()) {
            if (next_is('\\') && rest_.size() > 1) skip();
            text += rest_.front();
        }
        if (!rest_.empty()) skip();
        return text;
    }

private:
    std::string_view rest_;
};

std::vector<Challenge> parse(std::string_view header) {
    std::vector<Challenge> challenges;
    HeaderReader reader(header);
    while (true) {
        reader.skip_all(" \t,");
        if (reader.at_end()) return challenges;
        const std::string word = ascii_lower(reader.token());
        if (word.empty()) return challenges;
        reader.skip_all(" \t");
        if (reader.next_is('=') && !challenges.empty()) {
            reader.skip();
            reader.skip_all(" \t");
            challenges.back().parameters[word] = reader.value();
        } else {
            challenges.push_back({word, {}});
        }
    }
}

} // namespace

std::string Challenge::parameter(const std::string& name) const {
    const auto at = parameters.find(name);
    return at == parameters.end() ? std::string() : at->second;
}

std::optional<Challenge> find_challenge(std::string_view header, std::string_view scheme) {
    for (Challenge& challenge : parse(header))
        if (challenge.scheme == scheme) return std::move(challenge);
    return std::nullopt;
}

namespace {

std::optional<Challenge> find_in_headers(const HttpResponse& refusal, std::string_view scheme) {
    const auto [begin, end] = refusal.headers.equal_range("www-authenticate");
    for (auto at = begin; at != end; ++at)
        if (auto challenge = find_challenge(at->second, scheme)) return challenge;
    return std::nullopt;
}

// A header line of this size is the most that registries and proxies take.
constexpr size_t largest_token = size_t{64} << 10;

std::string read_token(const HttpResponse& answer, const std::string& server) {
    if (answer.status == 401 || answer.status == 403)
        throw Error(
            fmt::format("the token server {} does not accept the credentials ({})", server, answer.status),
            "log in again, for example with podman login");
    if (answer.status != 200)
        throw Error(fmt::format("the token server {} answered {}", server, answer.status));
    const auto json = parse_json<nlohmann::json>(answer.body);
    std::string token;
    for (const char* name : {"token", "access_token"})
        if (token.empty() && json.is_object() && json.contains(name) && json[name].is_string())
            token = json[name].get<std::string>();
    if (token.empty()) throw Error(fmt::format("the token server {} answered without a token", server));
    if (token.size() > largest_token)
        throw Error(fmt::format("the token of the token server {} has {} bytes, more than the limit of {}",
                                server, token.size(), largest_token));
    // It becomes a header line. Whether char is signed depends on the machine.
    for (const char c : token)
        if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f)
            throw Error(fmt::format("the token of the token server {} is damaged", server));
    return token;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const size_t blank = text.find(' ');
        if (blank != 0) words.push_back(text.substr(0, blank));
        text.remove_prefix(blank == text.npos ? text.size() : blank + 1);
    }
    return words;
}

// https://distribution.github.io/distribution/spec/auth/token/ and …/oauth/
std::string fetch_token(HttpClient& http, const Options& options, const PullSpec& spec,
                        const HttpRequest& request, const Challenge& challenge,
                        const std::optional<Credentials>& credentials) {
    HttpRequest ask;
    ask.url = Url::parse(challenge.parameter("realm"), &request.url);
    ask.retries = request.retries;
    ask.any_certificate = request.any_certificate && ask.url.same_origin(request.url);
    if (credentials && request.url.scheme == "https" && ask.url.scheme == "http" && !options.skip_tls_verify)
        throw Error(
            fmt::format("{} asks for its credentials in plain HTTP at {}", request.url.host, ask.url.host));
    std::string scopes = challenge.parameter("scope");
    if (scopes.empty()) scopes = fmt::format("repository:{}:pull", spec.repository());
    std::string query;
    for (const std::string_view scope : words_of(scopes))
        query += fmt::format("{}scope={}", query.empty() ? "" : "&", url_escape(scope));
    if (const std::string service = challenge.parameter("service"); !service.empty())
        query += "&service=" + url_escape(service);
    const std::string server = ask.url.host;
    std::string form;
    if (credentials && !credentials->identity_token.empty()) {
        form = fmt::format("grant_type=refresh_token&client_id=opcat&{}&refresh_token={}", query,
                           url_escape(credentials->identity_token));
        ask.method = "POST";
        ask.body = form;
        ask.content_type = "application/x-www-form-urlencoded";
        ask.secret_body = true;
    } else {
        if (credentials) {
            ask.authorization = credentials->basic();
            query += "&account=" + url_escape(credentials->user);
        }
        const char separator = ask.url.text.find('?') == std::string::npos ? '?' : '&';
        ask.url = Url::parse(ask.url.text + separator + query);
    }
    return read_token(http.send(ask), server);
}

} // namespace

std::string authorize(HttpClient& http, const Options& options, const PullSpec& spec,
                      const HttpRequest& request, const HttpResponse& refusal) {
    const auto bearer = find_in_headers(refusal, "bearer");
    const auto basic = find_in_headers(refusal, "basic");
    if (!bearer && !basic) return {};
    const auto credentials = find_credentials(options.auth_files, spec.registry(), spec.repository());
    if (credentials && !credentials->registry_token.empty()) return "Bearer " + credentials->registry_token;
    if (bearer) return "Bearer " + fetch_token(http, options, spec, request, *bearer, credentials);
    return credentials && !credentials->user.empty() ? credentials->basic() : std::string();
}

namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr uint64_t max_auth_file = 4 << 20;
constexpr std::chrono::seconds helper_timeout{60};

// Some tools write it in several lines, or omit the padding.
std::optional<std::string> decode_loosely(std::string text) {
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
    while (text.size() % 4 != 0) text += '=';
    return decode_base64(text);
}

std::string text_member(const Json& object, const char* name) {
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

// The name of a registry for helpers.
std::string server_of(const std::string& registry) {
    return is_docker_hub(registry) ? "https://index.docker.io/v1/" : registry;
}

std::optional<Credentials> read_entry(const Json& entry, const std::string& file, const std::string& key) {
    if (!entry.is_object()) return std::nullopt;
    Credentials found{text_member(entry, "username"), text_member(entry, "password"),
                      text_member(entry, "identitytoken"), text_member(entry, "registrytoken")};
    if (const std::string encoded = text_member(entry, "auth"); !encoded.empty()) {
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
            fmt::format("the credential helper \"{}\" in {} is not a plain name", printable(helper), file));
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
    const Json answer = parse_json<Json>(result.out);
    if (!answer.is_object())
        throw Error(fmt::format("{} answered with something that is not a JSON object", program));
    const std::string user = text_member(answer, "Username");
    const std::string secret = text_member(answer, "Secret");
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
    const Json json = parse_json<Json>(source->bytes());
    if (!json.is_object())
        throw Error(fmt::format("cannot use the credentials in {}: it is not a JSON object", file));
    if (const auto helpers = json.find("credHelpers"); helpers != json.end() && helpers->is_object())
        for (const auto& [host, helper] : helpers->items())
            if (helper.is_string() && same_registry(registry_of_key(host), registry))
                if (auto found = ask_helper(helper.get<std::string>(), server_of(registry), file))
                    return found;
    if (const auto entries = json.find("auths"); entries != json.end() && entries->is_object())
        if (auto found = from_entries(*entries, registry, repository, file)) return found;
    if (const std::string store = text_member(json, "credsStore"); !store.empty())
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
