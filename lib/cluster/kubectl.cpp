#include "opcat/cluster/kubectl.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace opcat::cluster {
namespace {

std::string seconds_of(std::chrono::milliseconds time) {
    return fmt::format("{} s", static_cast<double>(time.count()) / 1000.0);
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

// "a,b"
std::vector<std::string_view> split_kinds(std::string_view resources) {
    std::vector<std::string_view> kinds;
    while (!resources.empty()) {
        kinds.push_back(resources.substr(0, resources.find(',')));
        resources.remove_prefix(std::min(kinds.back().size() + 1, resources.size()));
    }
    return kinds;
}

std::string plurals(std::string_view resources) {
    return listed(split_kinds(resources), SIZE_MAX, plural);
}

std::string place(const Scope& scope) {
    if (scope.all) return " of all namespaces";
    return scope.ns.empty() ? std::string() : " of namespace " + scope.ns;
}

// "Warning: would violate PodSecurity …", without duplicates.
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

// kubectl's output for several objects: nothing, a single one, or a list.
std::vector<Object> objects_in(const std::string& out, const std::string& doing) {
    if (out.find_first_not_of(" \n") == out.npos) return {};
    return kube::objects_in(kube::parse_object(out, doing));
}

std::string names_of(const std::vector<Object>& objects) {
    return listed(objects, 3, &Object::describe);
}

std::vector<std::string> apply_arguments(bool force_conflicts) {
    std::vector<std::string> arguments{"apply", "--server-side",
                                       std::string("--field-manager=") + field_manager, "--filename=-"};
    if (force_conflicts) arguments.emplace_back("--force-conflicts");
    return arguments;
}

Failure failure_in(const ProcessResult& result) {
    Failure failure = classify(result.err);
    // A prompt for user and password appears in its output.
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
    // Values are never separate arguments, so that none can be read as a flag.
    if (!options_.kubeconfig.empty()) request.arguments.push_back("--kubeconfig=" + options_.kubeconfig);
    if (!options_.context.empty()) request.arguments.push_back("--context=" + options_.context);
    if (!options_.as.empty()) request.arguments.push_back("--as=" + options_.as);
    std::move(arguments.begin(), arguments.end(), std::back_inserter(request.arguments));
    request.input = input;
    request.timeout = options_.call_timeout;
    const auto start = options_.clock.now();
    try {
        return run_(request);
    } catch (const Error& error) {
        Failure failure;
        if (options_.clock.now() - start >= options_.call_timeout) {
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
    const auto start = options_.clock.now();
    bool reported = false;
    bool was_ready = false; // before the call
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
        if (failure.kind == FailureKind::no_such_resource && !was_ready) {
            // It may have become ready since it answered, so only its next answer counts.
            was_ready = is_ready();
            if (was_ready) continue;
            failure.kind = FailureKind::server;
            failure.message = "the API server has just started and is not ready";
        }
        if (failure.is_answer()) reached_ = true;
        const bool again = failure.kind == FailureKind::server && i < tries;
        if (!again &&
            !(reached_ && is_outage(failure) && options_.clock.now() - start < options_.longest_outage))
            throw KubectlError(doing, std::move(failure));
        if (i >= tries && !reported && options_.on_outage) {
            options_.on_outage(fmt::format("{}; waiting for it, for up to {}", words_for(failure),
                                           seconds_of(options_.longest_outage)));
            reported = true;
        }
        options_.clock.sleep(std::min(first_pause * (1 << std::min(i - 1, 2)), longest_pause));
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

Kubectl Kubectl::acting_as(const std::string& user) const {
    Kubectl copy = *this;
    copy.options_.as = user;
    return copy;
}

bool Kubectl::is_ready() const {
    try {
        const ProcessResult result = call("ask whether the API server is ready", {"get", "--raw", "/readyz"});
        if (result.exit_status == 0) return true;
        // If users may not ask, the server's list of resources must be believed.
        const FailureKind kind = classify(result.err).kind;
        return kind == FailureKind::forbidden || kind == FailureKind::unauthorized ||
               kind == FailureKind::not_found || kind == FailureKind::no_such_resource;
    } catch (const KubectlError&) {
        return false;
    }
}

Object Kubectl::api_group_list() const {
    const std::string doing = "ask the cluster what it serves";
    const auto start = options_.clock.now();
    for (bool was_ready = false;;) {
        Object answer =
            kube::parse_object(call_or_throw(doing, {"get", "--raw", "/apis"}), "the cluster's API groups");
        bool has_classic = false;
        bool has_v1 = false;
        for (const Fields group : answer.items("groups")) {
            has_classic = has_classic || group.text("name") == resource::classic_group;
            has_v1 = has_v1 || group.text("name") == resource::v1_group;
        }
        if ((has_classic && has_v1) || was_ready) return answer;
        // As above: only its answers after it was ready count.
        was_ready = is_ready();
        if (was_ready) continue;
        if (options_.clock.now() - start >= options_.longest_outage)
            throw KubectlError(doing, {.kind = FailureKind::server,
                                       .message = "the API server has started and does not become ready"});
        options_.clock.sleep(std::chrono::milliseconds(500));
    }
}

std::set<std::string> Kubectl::api_groups() const {
    std::set<std::string> groups;
    const Object list = api_group_list();
    for (const Fields group : list.items("groups")) groups.emplace(group.text("name"));
    return groups;
}

std::set<std::string> Kubectl::api_versions() const {
    std::set<std::string> versions{"v1"};
    const Object list = api_group_list();
    for (const Fields group : list.items("groups"))
        for (const Fields version : group.items("versions")) versions.emplace(version.text("groupVersion"));
    return versions;
}

std::string Kubectl::server_version() const {
    const std::string out = call_or_throw("ask for the cluster's version", {"get", "--raw", "/version"});
    return std::string(kube::parse_object(out, "the cluster's version").text("gitVersion"));
}

std::string Kubectl::current_namespace() const {
    const std::string doing = "find the cluster";
    const ProcessResult result = call(doing, {"config", "view", "--minify", "--output=json"});
    if (result.exit_status != 0) {
        if (result.err.find("current-context must exist") != std::string::npos && !options_.in_pod)
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
        // kubectl lists none of several kinds if one is not served.
        std::vector<Object> objects;
        const std::vector<std::string_view> kinds = split_kinds(resources);
        for (size_t i = 0; kinds.size() > 1 && i < kinds.size(); ++i)
            for (Object& object : list(kinds[i], scope, selector)) objects.push_back(std::move(object));
        return objects;
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
    const auto start = options_.clock.now();
    for (;;) {
        const ProcessResult result = call(doing, arguments);
        if (result.exit_status == 0) return;
        // "no" is an answer, not a failure.
        if (result.out.starts_with("no")) break;
        const Failure failure = failure_in(result);
        if (!reached_ || !is_outage(failure) || options_.clock.now() - start >= options_.longest_outage)
            throw KubectlError(doing, failure);
        options_.clock.sleep(std::chrono::seconds(1));
    }
    throw KubectlError(doing, {.kind = FailureKind::forbidden,
                               .message = {},
                               .user = {},
                               .verb = std::string(verb),
                               .resource = resource,
                               .group = {},
                               .ns = object.ns});
}

std::vector<bool> Kubectl::allowed(const std::vector<Object>& reviews) const {
    if (reviews.empty()) return {};
    const std::string doing = "ask who has which rights";
    const std::string out = call_or_throw(
        doing, {"create", "--filename=-", "--validate=false", "--output=jsonpath={.status.allowed}{\"\\n\"}"},
        kube::to_text(reviews));
    std::vector<bool> allowed;
    for (std::string_view rest = out; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        allowed.push_back(rest.substr(0, end) == "true");
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (allowed.size() != reviews.size())
        throw KubectlError(doing, {.kind = FailureKind::other, .message = "the answer is not complete"});
    return allowed;
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

} // namespace opcat::cluster
