#include "image/access.hpp"

#include "base/text.hpp"
#include "image/credentials.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace opcat::image {
namespace {

bool is_token(char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
}

class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

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
    Reader reader(header);
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

std::string read_token(const HttpResponse& answer, const std::string& server) {
    if (answer.status == 401 || answer.status == 403)
        throw Error(
            fmt::format("the token server {} does not accept the credentials ({})", server, answer.status),
            "log in again, for example with podman login");
    if (answer.status != 200)
        throw Error(fmt::format("the token server {} answered {}", server, answer.status));
    const auto json = nlohmann::json::parse(answer.body, nullptr, false);
    std::string token;
    for (const char* name : {"token", "access_token"})
        if (token.empty() && json.is_object() && json.contains(name) && json[name].is_string())
            token = json[name].get<std::string>();
    if (token.empty()) throw Error(fmt::format("the token server {} answered without a token", server));
    // It becomes a line of a header.
    for (const char c : token)
        if (c <= 0x20 || c == 0x7f)
            throw Error(fmt::format("the token of the token server {} is damaged", server));
    return token;
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
            fmt::format("{} wants its credentials sent in plain HTTP to {}", request.url.host, ask.url.host));
    std::string scope = challenge.parameter("scope");
    if (scope.empty()) scope = fmt::format("repository:{}:pull", spec.repository());
    std::string query = "scope=" + url_escape(scope);
    if (const std::string service = challenge.parameter("service"); !service.empty())
        query += "&service=" + url_escape(service);
    const std::string server = ask.url.host;
    if (credentials && !credentials->identity_token.empty()) {
        ask.form = fmt::format("grant_type=refresh_token&client_id=opcat&{}&refresh_token={}", query,
                               url_escape(credentials->identity_token));
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

} // namespace opcat::image
