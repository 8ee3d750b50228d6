#include "opcat/base/text.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <fmt/core.h>

#include <utility>
#include <vector>

namespace opcat::cluster {
namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::vector<std::string_view> written_lines(std::string_view text) {
    std::vector<std::string_view> lines = lines_of(text);
    for (std::string_view& line : lines)
        if (line.ends_with('\r')) line.remove_suffix(1);
    std::erase(lines, std::string_view());
    return lines;
}

// Log lines of client-go ("E0102 15:04:05.000000    1234 memcache.go:265] …"), warnings that also come with
// success, and the remark that some rules were not evaluated.
bool is_noise(std::string_view line) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (line.size() > 5 && (line[0] == 'E' || line[0] == 'W' || line[0] == 'I') && digit(line[1]) &&
        digit(line[2]) && digit(line[3]) && digit(line[4]) && line[5] == ' ')
        return true;
    return line.starts_with("Warning: ") || line.starts_with("WARNING: ") ||
           contains(line, "some validation rules were not checked because the object was invalid");
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
    const size_t begin = text.find(before);
    if (begin == text.npos) return {};
    text.remove_prefix(begin + before.size());
    const size_t end = text.find(after);
    return end == text.npos ? std::string_view() : text.substr(0, end);
}

// `User "alice" cannot list resource "pods" in API group "" in the namespace "shop"`
void read_forbidden(Failure& failure) {
    const std::string_view text = failure.message;
    failure.user = between(text, "User \"", "\"");
    failure.verb = between(text, "\" cannot ", " ");
    failure.resource = between(text, "resource \"", "\"");
    failure.group = between(text, "API group \"", "\"");
    failure.ns = between(text, "in the namespace \"", "\"");
    // `cannot get path "/apis"`
    if (failure.resource.empty()) failure.resource = between(text, "path \"", "\"");
}

FailureKind kind_of_reason(std::string_view reason) {
    struct Row {
        std::string_view reason;
        FailureKind kind;
    };
    static constexpr Row rows[] = {
        {"NotFound", FailureKind::not_found},        {"Forbidden", FailureKind::forbidden},
        {"Unauthorized", FailureKind::unauthorized}, {"AlreadyExists", FailureKind::already_exists},
        {"Conflict", FailureKind::conflict},         {"BadRequest", FailureKind::invalid},
        {"Invalid", FailureKind::invalid},           {"UnprocessableEntity", FailureKind::invalid},
        {"Timeout", FailureKind::timeout},           {"GatewayTimeout", FailureKind::timeout},
        {"InternalError", FailureKind::server},      {"ServiceUnavailable", FailureKind::server},
        {"TooManyRequests", FailureKind::server},    {"ServerTimeout", FailureKind::server},
    };
    for (const Row& row : rows)
        if (row.reason == reason) return row.kind;
    return FailureKind::other;
}

struct Sign {
    std::string_view part;
    FailureKind kind;
};

// Failures without a reason in parentheses, most specific first. A sign that ends with a quote only counts in
// "does not exist".
constexpr Sign signs[] = {
    {"You must be logged in to the server", FailureKind::unauthorized},
    {"the server has asked for the client to provide credentials", FailureKind::unauthorized},
    {"Error in configuration", FailureKind::configuration},
    {"context was not found", FailureKind::configuration},
    {"context \"", FailureKind::configuration},
    {"error loading config file", FailureKind::configuration},
    {"getting credentials: exec", FailureKind::configuration},
    {"invalid configuration", FailureKind::configuration},
    {"Please enter Username", FailureKind::configuration},
    {"error: stat ", FailureKind::configuration},
    {"cluster \"", FailureKind::configuration},
    {"connection to the server", FailureKind::unreachable},
    {"Unable to connect to the server", FailureKind::unreachable},
    {"connection refused", FailureKind::unreachable},
    {"no such host", FailureKind::unreachable},
    {"i/o timeout", FailureKind::unreachable},
    {"TLS handshake timeout", FailureKind::unreachable},
    {"connection reset by peer", FailureKind::unreachable},
    {"no route to host", FailureKind::unreachable},
    {"\": EOF", FailureKind::unreachable}, // of a request: `Delete "https://…": EOF`
    {"net/http: request canceled", FailureKind::timeout},
    {"context deadline exceeded", FailureKind::timeout},
    {"Client.Timeout exceeded", FailureKind::timeout},
    {"timed out waiting for the condition", FailureKind::timeout},
    {"doesn't have a resource type", FailureKind::no_such_resource},
    {"no matches for kind", FailureKind::no_such_resource},
    {"the server could not find the requested resource", FailureKind::no_such_resource},
    {"Apply failed with ", FailureKind::conflict},
    {"the object has been modified", FailureKind::conflict},
    {"currently unable to handle the request", FailureKind::server},
    {"the server was unable to return a response", FailureKind::server},
    {"an error on the server", FailureKind::server},
    {"too many requests", FailureKind::server},
    {"unexpected EOF", FailureKind::server},
    {"http2: ", FailureKind::server},
    {" is invalid: ", FailureKind::invalid},
    {"The request is invalid", FailureKind::invalid},
    {"strict decoding error", FailureKind::invalid},
    {"error validating data", FailureKind::invalid},
    {"failed to create typed patch object", FailureKind::invalid},
};

FailureKind kind_of_text(std::string_view text) {
    for (const Sign& sign : signs) {
        if (!contains(text, sign.part)) continue;
        if (sign.part.ends_with(" \"") && !contains(text, "does not exist")) continue;
        return sign.kind;
    }
    return FailureKind::other;
}

std::string without_prefix(std::string_view line) {
    constexpr std::string_view server = "Error from server";
    if (line.starts_with("error: ")) line.remove_prefix(7);
    if (line.starts_with("Error: ")) line.remove_prefix(7);
    if (line.starts_with(server)) {
        const size_t colon = line.find(": ");
        if (colon != line.npos) line.remove_prefix(colon + 2);
    }
    return std::string(line);
}

} // namespace

Failure classify(std::string_view err) {
    std::vector<std::string_view> lines = written_lines(err);
    const std::vector<std::string_view> all = lines;
    std::erase_if(lines, is_noise);
    if (lines.empty()) lines = all;
    Failure failure;
    if (lines.empty()) {
        failure.message = "kubectl failed and printed no message";
        return failure;
    }
    constexpr std::string_view server = "Error from server";
    std::string_view unreachable;
    for (const std::string_view line : lines) {
        if (line.starts_with(server)) {
            failure.kind = line.starts_with("Error from server (") ? kind_of_reason(between(line, "(", "):"))
                                                                   : FailureKind::other;
            // Without a specific reason, the text may say more.
            if (failure.kind == FailureKind::other) {
                failure.kind = kind_of_text(line);
                // The API server has answered: the connection that failed is one of its own, to a webhook for
                // example.
                if (failure.kind == FailureKind::other || failure.kind == FailureKind::unreachable ||
                    failure.kind == FailureKind::timeout)
                    failure.kind = FailureKind::server;
            }
            if (failure.kind == FailureKind::not_found &&
                contains(line, "could not find the requested resource"))
                failure.kind = FailureKind::no_such_resource;
        } else {
            const FailureKind kind = kind_of_text(line);
            if (kind == FailureKind::unreachable) unreachable = line;
            if (failure.kind == FailureKind::other) failure.kind = kind;
        }
        if (!failure.message.empty()) failure.message += '\n';
        failure.message += without_prefix(line);
    }
    if (!unreachable.empty()) {
        // Other lines are answers of a server that came back while kubectl was applying several objects. They
        // may be mere consequences, as when the namespace could not be created.
        failure.kind = FailureKind::unreachable;
        // Each attempt reports it; the last line has no log prefix.
        failure.message = without_prefix(unreachable);
        // kubectl could not fetch the API's description because it could not fetch anything.
        for (const std::string_view before : {"failed to download openapi: ", "error validating data: "})
            if (const std::string_view cause = between(failure.message, before, "; if you choose");
                !cause.empty())
                failure.message = std::string(cause);
    }
    if (failure.kind == FailureKind::forbidden) {
        read_forbidden(failure);
        // The reason is Forbidden, but no right is missing.
        if (contains(failure.message, "because it is being terminated")) {
            failure.kind = FailureKind::terminating;
            failure.ns = between(failure.message, "new content in namespace ", " because");
        }
    }
    return failure;
}

std::string words_for(const Failure& failure) {
    std::string message = failure.message;
    for (size_t at = 0; (at = message.find('\n', at)) != message.npos;) message.replace(at, 1, "; ");
    switch (failure.kind) {
    case FailureKind::forbidden: {
        if (failure.verb.empty() || failure.resource.empty()) return "forbidden: " + message;
        std::string words =
            fmt::format("{} may not {} {}", failure.user.empty() ? "the user" : "user " + failure.user,
                        failure.verb, failure.resource + (failure.group.empty() ? "" : "." + failure.group));
        if (!failure.ns.empty()) return words + " in namespace " + failure.ns;
        return contains(failure.message, "at the cluster scope") ? words + " in the whole cluster" : words;
    }
    case FailureKind::unauthorized:
        return "the cluster does not accept the credentials: the token is wrong, or the client "
               "certificate or the token has expired";
    case FailureKind::unreachable:
        return "the cluster cannot be reached: " + message;
    case FailureKind::timeout:
        return "the cluster did not answer in time: " + message;
    case FailureKind::configuration:
        return "the kubeconfig cannot be used: " + message;
    case FailureKind::terminating:
        return fmt::format("namespace {} is being deleted", failure.ns);
    default:
        return message;
    }
}

KubectlError::KubectlError(const std::string& doing, Failure failure)
    : Error(fmt::format("cannot {}: {}", doing, words_for(failure))), failure_(std::move(failure)) {}

} // namespace opcat::cluster
