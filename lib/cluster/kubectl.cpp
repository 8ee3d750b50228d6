#include "opcat/cluster/kubectl.hpp"

#include "opcat/base/text.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace opcat::cluster {
namespace {

using Clock = std::chrono::steady_clock;

std::string seconds_of(std::chrono::milliseconds time) {
    return fmt::format("{} s", static_cast<double>(time.count()) / 1000.0);
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

void add_scope(std::vector<std::string>& arguments, const Scope& scope) {
    if (scope.all) arguments.emplace_back("--all-namespaces");
    if (!scope.ns.empty()) {
        require_namespace(scope.ns);
        arguments.push_back("--namespace=" + scope.ns);
    }
}

// "subscriptions.operators.coreos.com" -> "subscriptions"
std::string_view plural(std::string_view resource) {
    return resource.substr(0, resource.find('.'));
}

std::string plurals(std::string_view resources) {
    std::string text;
    while (!resources.empty()) {
        const std::string_view one = resources.substr(0, resources.find(','));
        resources.remove_prefix(std::min(one.size() + 1, resources.size()));
        if (!text.empty()) text += resources.empty() ? " and " : ", ";
        text += plural(one);
    }
    return text;
}

std::string place(const Scope& scope) {
    if (scope.all) return " of all namespaces";
    return scope.ns.empty() ? std::string() : " of namespace " + scope.ns;
}

// "Warning: would violate PodSecurity …", each once.
std::vector<std::string> warnings_in(std::string_view err) {
    constexpr std::string_view mark = "Warning: ";
    std::vector<std::string> warnings;
    while (!err.empty()) {
        std::string_view line = err.substr(0, err.find('\n'));
        err.remove_prefix(std::min(line.size() + 1, err.size()));
        if (!line.starts_with(mark)) continue;
        line.remove_prefix(mark.size());
        if (std::find(warnings.begin(), warnings.end(), line) == warnings.end()) warnings.emplace_back(line);
    }
    return warnings;
}

// What kubectl has printed for several objects: nothing, one of them alone, or a list.
std::vector<Object> objects_in(const std::string& out, const std::string& doing) {
    if (out.find_first_not_of(" \n") == out.npos) return {};
    return kube::objects_in(kube::parse_object(out, doing));
}

std::string names_of(const std::vector<Object>& objects) {
    constexpr size_t most = 3;
    std::string text;
    for (size_t i = 0; i < objects.size() && i < most; ++i)
        text += (i > 0 ? ", " : "") + objects[i].describe();
    if (objects.size() > most) text += fmt::format(" and {} more", objects.size() - most);
    return text;
}

std::vector<std::string> apply_arguments(bool force_conflicts) {
    std::vector<std::string> arguments{"apply", "--server-side",
                                       std::string("--field-manager=") + field_manager, "--filename=-"};
    if (force_conflicts) arguments.emplace_back("--force-conflicts");
    return arguments;
}

Failure failure_in(const ProcessResult& result) {
    Failure failure = classify(result.err);
    // What was asked for user and password says so on its output.
    if (failure.kind == FailureKind::other && result.out.starts_with("Please enter Username")) {
        failure.kind = FailureKind::configuration;
        failure.message = "its user has no credentials";
    }
    return failure;
}

} // namespace

Kubectl::Kubectl(KubectlOptions options, RunProcess run)
    : options_(std::move(options)), run_(std::move(run)) {}

ProcessResult Kubectl::call(const std::string& doing, std::vector<std::string> arguments,
                            std::string_view input) const {
    ProcessRequest request;
    request.arguments = {options_.program};
    // A value never stands alone, so that none can be taken for a flag.
    if (!options_.kubeconfig.empty()) request.arguments.push_back("--kubeconfig=" + options_.kubeconfig);
    if (!options_.context.empty()) request.arguments.push_back("--context=" + options_.context);
    if (!options_.as.empty()) request.arguments.push_back("--as=" + options_.as);
    std::move(arguments.begin(), arguments.end(), std::back_inserter(request.arguments));
    request.input = input;
    request.timeout = options_.call_timeout;
    const auto start = Clock::now();
    try {
        return run_(request);
    } catch (const Error& error) {
        Failure failure;
        if (Clock::now() - start >= options_.call_timeout) {
            failure.kind = FailureKind::unreachable;
            failure.message = "no answer within " + seconds_of(options_.call_timeout);
        } else {
            failure.kind = FailureKind::program;
            failure.message = error.what();
        }
        throw KubectlError(doing, std::move(failure));
    }
}

std::string Kubectl::call_or_throw(const std::string& doing, const std::vector<std::string>& arguments,
                                   std::string_view input) const {
    return result_or_throw(doing, arguments, input).out;
}

ProcessResult Kubectl::result_or_throw(const std::string& doing, const std::vector<std::string>& arguments,
                                       std::string_view input) const {
    constexpr int tries = 4;
    constexpr std::chrono::milliseconds first_pause(400);
    constexpr std::chrono::milliseconds longest_pause(1600);
    const auto start = Clock::now();
    bool reported = false;
    for (int i = 1;; ++i) {
        Failure failure;
        try {
            ProcessResult result = call(doing, arguments, input);
            if (result.exit_status == 0) {
                reached_ = true;
                return result;
            }
            failure = failure_in(result);
        } catch (const KubectlError& error) {
            failure = error.failure();
        }
        if (failure.kind == FailureKind::no_such_resource && !is_ready()) {
            failure.kind = FailureKind::server;
            failure.message = "the API server has just started and is not ready";
        }
        if (failure.is_answer()) reached_ = true;
        const bool again = failure.kind == FailureKind::server && i < tries;
        if (!again && !(reached_ && is_outage(failure) && Clock::now() - start < options_.longest_outage))
            throw KubectlError(doing, std::move(failure));
        if (i >= tries && !reported && options_.on_outage) {
            options_.on_outage(fmt::format("{}; waiting for it, for up to {}", words_for(failure),
                                           seconds_of(options_.longest_outage)));
            reported = true;
        }
        std::this_thread::sleep_for(std::min(first_pause * (1 << std::min(i - 1, 2)), longest_pause));
    }
}

bool Kubectl::is_outage(const Failure& failure) const {
    return failure.kind == FailureKind::unreachable || failure.kind == FailureKind::timeout ||
           (failure.kind == FailureKind::server && !is_ready());
}

Kubectl Kubectl::without_patience() const {
    Kubectl copy = *this;
    copy.options_.longest_outage = std::chrono::milliseconds(0);
    return copy;
}

bool Kubectl::is_ready() const {
    try {
        const ProcessResult result = call("ask whether the API server is ready", {"get", "--raw", "/readyz"});
        if (result.exit_status == 0) return true;
        // Where users may not ask, what the server says of its resources must be believed.
        const FailureKind kind = classify(result.err).kind;
        return kind == FailureKind::forbidden || kind == FailureKind::unauthorized ||
               kind == FailureKind::not_found || kind == FailureKind::no_such_resource;
    } catch (const KubectlError&) {
        return false;
    }
}

std::set<std::string> Kubectl::api_groups() const {
    const std::string doing = "ask the cluster what it serves";
    const auto start = Clock::now();
    for (;;) {
        const Object answer =
            kube::parse_object(call_or_throw(doing, {"get", "--raw", "/apis"}), "the cluster's API groups");
        std::set<std::string> groups;
        for (const Fields group : answer.items("groups")) groups.emplace(group.text("name"));
        const bool all = groups.contains(resource::classic_group) && groups.contains(resource::v1_group);
        if (all || is_ready()) return groups;
        if (Clock::now() - start >= options_.longest_outage)
            throw KubectlError(doing, {.kind = FailureKind::server,
                                       .message = "the API server has started and does not become ready"});
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
}

std::string Kubectl::server_version() const {
    const std::string out = call_or_throw("ask for the cluster's version", {"get", "--raw", "/version"});
    return std::string(kube::parse_object(out, "the cluster's version").text("gitVersion"));
}

std::string Kubectl::current_namespace() const {
    const std::string doing = "find the cluster";
    const ProcessResult result = call(doing, {"config", "view", "--minify", "--output=json"});
    if (result.exit_status != 0) {
        const bool in_pod =
            std::getenv("KUBERNETES_SERVICE_HOST") != nullptr; // kubectl uses the pod's account
        if (contains(result.err, "current-context must exist") && !in_pod)
            throw KubectlError(
                doing, {.kind = FailureKind::configuration,
                        .message = fmt::format("{} does not exist, or has no current context",
                                               options_.kubeconfig.empty() ? "it" : options_.kubeconfig)});
        return "default"; // the first call that needs the cluster says what is wrong
    }
    const Object config = kube::parse_object(result.out, "the kubeconfig");
    for (const Fields context : config.items("contexts"))
        if (const std::string_view ns = context.text("context", "namespace"); !ns.empty())
            return std::string(ns);
    return "default";
}

std::optional<Object> Kubectl::get(std::string_view resource, const std::string& name,
                                   const Scope& scope) const {
    require_name(plural(resource), name);
    std::vector<std::string> arguments{"get", std::string(resource), name, "--output=json"};
    add_scope(arguments, scope);
    const std::string doing = fmt::format("read {} {}{}", plural(resource), name, place(scope));
    try {
        return kube::parse_object(call_or_throw(doing, arguments), doing);
    } catch (const KubectlError& error) {
        if (error.kind() == FailureKind::not_found || error.kind() == FailureKind::no_such_resource)
            return std::nullopt;
        throw;
    }
}

std::vector<Object> Kubectl::list(std::string_view resources, const Scope& scope,
                                  const std::string& selector) const {
    std::vector<std::string> arguments{"get", std::string(resources), "--output=json"};
    add_scope(arguments, scope);
    if (!selector.empty()) arguments.push_back("--selector=" + selector);
    const std::string doing = fmt::format("list {}{}", plurals(resources), place(scope));
    Object answer;
    try {
        answer = kube::parse_object(call_or_throw(doing, arguments), doing);
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::no_such_resource) throw;
        return {};
    }
    std::vector<Object> objects;
    for (const Value& item : answer.items("items")) objects.emplace_back(item, answer.memory);
    return objects;
}

std::vector<Object> Kubectl::list_permitted(std::string_view required, std::vector<const char*>& optional,
                                            const Scope& scope, std::vector<std::string>& unread,
                                            const std::string& selector) const {
    std::string all(required);
    for (const char* kind : optional) all += std::string(",") + kind;
    try {
        return list(all, scope, selector);
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden || optional.empty()) throw;
    }
    std::vector<Object> objects = list(required, scope, selector);
    std::vector<const char*> permitted;
    for (const char* kind : optional) {
        try {
            for (Object& object : list(kind, scope, selector)) objects.push_back(std::move(object));
            permitted.push_back(kind);
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw;
            unread.emplace_back(error.what());
        }
    }
    optional = std::move(permitted);
    return objects;
}

std::string Kubectl::raw(const std::string& path) const {
    return call_or_throw("ask the cluster for " + path, {"get", "--raw", path});
}

std::vector<std::string> Kubectl::apply(const std::vector<Object>& objects, bool force_conflicts) const {
    if (objects.empty()) return {};
    return warnings_in(result_or_throw("apply " + names_of(objects), apply_arguments(force_conflicts),
                                       kube::to_text(objects))
                           .err);
}

void Kubectl::try_apply(const std::vector<Object>& objects, bool force_conflicts) const {
    if (objects.empty()) return;
    std::vector<std::string> arguments = apply_arguments(force_conflicts);
    arguments.emplace_back("--dry-run=server");
    call_or_throw("apply " + names_of(objects), arguments, kube::to_text(objects));
}

void Kubectl::require_right(std::string_view verb, const Object& object) const {
    const std::string resource =
        plural_of_kind(object.kind()) + (object.group().empty() ? "" : ".") + std::string(object.group());
    const std::string doing = fmt::format("{} {}", verb, object.describe());
    std::vector<std::string> arguments{"auth", "can-i", std::string(verb), resource};
    add_scope(arguments, object.ns.empty() ? Scope::cluster() : Scope::in(object.ns));
    const ProcessResult result = call(doing, arguments);
    if (result.exit_status == 0) return;
    // "no" is an answer, not a failure.
    if (!result.out.starts_with("no")) throw KubectlError(doing, failure_in(result));
    throw KubectlError(doing, {.kind = FailureKind::forbidden,
                               .message = {},
                               .user = {},
                               .verb = std::string(verb),
                               .resource = resource,
                               .group = {},
                               .ns = object.ns});
}

std::vector<Object> Kubectl::applied(const std::vector<Object>& objects) const {
    const std::string doing = "try to apply " + names_of(objects);
    std::vector<std::string> arguments = apply_arguments(true);
    arguments.insert(arguments.end(), {"--dry-run=server", "--output=json"});
    const std::string out = call_or_throw(doing, arguments, kube::to_text(objects));
    return objects_in(out, doing);
}

std::vector<Object> Kubectl::existing(const std::vector<Object>& objects) const {
    if (objects.empty()) return {};
    const std::string doing = "read " + names_of(objects);
    const std::string out = call_or_throw(
        doing, {"get", "--filename=-", "--ignore-not-found", "--output=json"}, kube::to_text(objects));
    return objects_in(out, doing);
}

void Kubectl::remove_objects(const std::vector<Object>& objects) const {
    if (objects.empty()) return;
    call_or_throw("delete " + names_of(objects),
                  {"delete", "--filename=-", "--ignore-not-found", "--wait=false"}, kube::to_text(objects));
}

void Kubectl::patch(std::string_view resource, const std::string& name, const Scope& scope,
                    const Value& patch) const {
    require_name(plural(resource), name);
    std::vector<std::string> arguments{"patch",
                                       std::string(resource),
                                       name,
                                       "--type=merge",
                                       "--patch=" + kube::to_text(patch),
                                       std::string("--field-manager=") + field_manager};
    add_scope(arguments, scope);
    call_or_throw(fmt::format("change {} {}{}", plural(resource), name, place(scope)), arguments);
}

void Kubectl::remove(std::string_view resource, const std::string& name, const Scope& scope) const {
    require_name(plural(resource), name);
    std::vector<std::string> arguments{"delete", std::string(resource), name, "--wait=false",
                                       "--ignore-not-found"};
    add_scope(arguments, scope);
    call_or_throw(fmt::format("delete {} {}{}", plural(resource), name, place(scope)), arguments);
}

void require_name(std::string_view what, const std::string& name) {
    if (!kube::is_object_name(name))
        throw RequestError(fmt::format("\"{}\" cannot be the name of one of the {}", name, what),
                           "names have lower-case letters, digits, '-' and '.'");
}

void require_namespace(const std::string& name) {
    if (!kube::is_namespace_name(name))
        throw RequestError(fmt::format("\"{}\" cannot be the name of a namespace", name),
                           "names have lower-case letters, digits and '-', at most 63 characters");
}

// ---- failures

namespace {

std::vector<std::string_view> written_lines(std::string_view text) {
    std::vector<std::string_view> lines = lines_of(text);
    for (std::string_view& line : lines)
        if (line.ends_with('\r')) line.remove_suffix(1);
    std::erase(lines, std::string_view());
    return lines;
}

// Log lines of client-go ("E0102 15:04:05.000000    1234 memcache.go:265] …"), warnings that come with
// success as well, and the remark that some rules were not looked at.
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

// What has no reason in parentheses, most telling first. A sign that ends with a quote is one only of what
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
        failure.message = "kubectl failed without a word";
        return failure;
    }
    constexpr std::string_view server = "Error from server";
    for (const std::string_view line : lines) {
        if (line.starts_with(server)) {
            const std::string_view reason = between(line, "(", "):");
            failure.kind = reason.empty() || !line.starts_with("Error from server (")
                               ? kind_of_text(line)
                               : kind_of_reason(reason);
            // Of a reason that says nothing the text may say more.
            if (failure.kind == FailureKind::other) failure.kind = kind_of_text(line);
            if (failure.kind == FailureKind::other) failure.kind = FailureKind::server;
            if (failure.kind == FailureKind::not_found &&
                contains(line, "could not find the requested resource"))
                failure.kind = FailureKind::no_such_resource;
        } else if (failure.kind == FailureKind::other) {
            failure.kind = kind_of_text(line);
        }
        if (!failure.message.empty()) failure.message += '\n';
        failure.message += without_prefix(line);
    }
    if (failure.kind == FailureKind::unreachable) {
        // Each of the tries says it; the last is the one without the log's trimmings.
        failure.message = without_prefix(lines.back());
        // kubectl could not fetch the API's description because it could not fetch anything.
        if (const std::string_view cause = between(failure.message, "failed to download openapi: ", ";");
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
