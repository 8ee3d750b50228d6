#include "cluster/kubectl.hpp"

#include "resolve/v1/kubernetes_names.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace opcat::cluster {
namespace {

using Clock = std::chrono::steady_clock;

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
std::vector<Json> objects_in(const std::string& out, const std::string& doing) {
    if (out.find_first_not_of(" \n") == out.npos) return {};
    Json answer = parse_json(out, doing);
    if (kind_of(answer) != "List") return {std::move(answer)};
    std::vector<Json> found;
    for (const Json& item : array(answer, {"items"})) found.push_back(item);
    return found;
}

std::string names_of(const std::vector<Json>& objects) {
    constexpr size_t most = 3;
    std::string text;
    for (size_t i = 0; i < objects.size() && i < most; ++i)
        text += (i > 0 ? ", " : "") + describe(objects[i]);
    if (objects.size() > most) text += fmt::format(" and {} more", objects.size() - most);
    return text;
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
    for (int i = 1;; ++i) {
        ProcessResult result = call(doing, arguments, input);
        if (result.exit_status == 0) return result;
        Failure failure = classify(result.err);
        // What was asked for user and password says so on its output.
        if (failure.kind == FailureKind::other && result.out.starts_with("Please enter Username")) {
            failure.kind = FailureKind::configuration;
            failure.message = "its user has no credentials";
        }
        if (i == tries || failure.kind != FailureKind::server) throw KubectlError(doing, std::move(failure));
        std::this_thread::sleep_for(first_pause * (1 << (i - 1)));
    }
}

std::set<std::string> Kubectl::api_groups() const {
    const std::string out = call_or_throw("ask the cluster what it serves", {"get", "--raw", "/apis"});
    const Json answer = parse_json(out, "the cluster's API groups");
    std::set<std::string> groups;
    for (const Json& group : array(answer, {"groups"})) groups.insert(text(group, {"name"}));
    return groups;
}

std::string Kubectl::server_version() const {
    const std::string out = call_or_throw("ask for the cluster's version", {"get", "--raw", "/version"});
    return text(parse_json(out, "the cluster's version"), {"gitVersion"});
}

std::string Kubectl::current_namespace() const {
    const ProcessResult result = call("read the kubeconfig", {"config", "view", "--minify", "--output=json"});
    // What is wrong with the kubeconfig shows at the first call that needs the cluster.
    if (result.exit_status != 0) return "default";
    const Json config = parse_json(result.out, "the kubeconfig");
    const Json& contexts = array(config, {"contexts"});
    const std::string ns = contexts.empty() ? std::string() : text(contexts[0], {"context", "namespace"});
    return ns.empty() ? "default" : ns;
}

std::optional<Json> Kubectl::get(std::string_view resource, const std::string& name,
                                 const Scope& scope) const {
    require_name(plural(resource), name);
    std::vector<std::string> arguments{"get", std::string(resource), name, "--output=json"};
    add_scope(arguments, scope);
    const std::string doing = fmt::format("read {} {}{}", plural(resource), name, place(scope));
    try {
        return parse_json(call_or_throw(doing, arguments), doing);
    } catch (const KubectlError& error) {
        if (error.kind() == FailureKind::not_found || error.kind() == FailureKind::no_such_resource)
            return std::nullopt;
        throw;
    }
}

std::vector<Json> Kubectl::list(std::string_view resources, const Scope& scope,
                                const std::string& selector) const {
    std::vector<std::string> arguments{"get", std::string(resources), "--output=json"};
    add_scope(arguments, scope);
    if (!selector.empty()) arguments.push_back("--selector=" + selector);
    const std::string doing = fmt::format("list {}{}", plurals(resources), place(scope));
    Json answer;
    try {
        answer = parse_json(call_or_throw(doing, arguments), doing);
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::no_such_resource) throw;
        return {};
    }
    std::vector<Json> items;
    if (const auto found = answer.find("items"); found != answer.end() && found->is_array())
        for (Json& item : *found) items.push_back(std::move(item));
    return items;
}

std::string Kubectl::raw(const std::string& path) const {
    return call_or_throw("ask the cluster for " + path, {"get", "--raw", path});
}

Json list_of(const std::vector<Json>& objects) {
    Json list{{"apiVersion", "v1"}, {"kind", "List"}, {"items", Json::array()}};
    for (const Json& object : objects) list["items"].push_back(object);
    return list;
}

std::vector<std::string> Kubectl::apply(const std::vector<Json>& objects, bool force_conflicts) const {
    if (objects.empty()) return {};
    std::vector<std::string> arguments{"apply", "--server-side",
                                       std::string("--field-manager=") + field_manager, "--filename=-"};
    if (force_conflicts) arguments.emplace_back("--force-conflicts");
    return warnings_in(
        result_or_throw("apply " + names_of(objects), arguments, to_text(list_of(objects))).err);
}

std::vector<Json> Kubectl::applied(const std::vector<Json>& objects) const {
    const std::string doing = "try to apply " + names_of(objects);
    const std::string out =
        call_or_throw(doing,
                      {"apply", "--server-side", std::string("--field-manager=") + field_manager,
                       "--force-conflicts", "--dry-run=server", "--filename=-", "--output=json"},
                      to_text(list_of(objects)));
    return objects_in(out, doing);
}

std::vector<Json> Kubectl::existing(const std::vector<Json>& objects) const {
    if (objects.empty()) return {};
    const std::string doing = "read " + names_of(objects);
    const std::string out = call_or_throw(
        doing, {"get", "--filename=-", "--ignore-not-found", "--output=json"}, to_text(list_of(objects)));
    return objects_in(out, doing);
}

void Kubectl::remove_objects(const std::vector<Json>& objects) const {
    if (objects.empty()) return;
    call_or_throw("delete " + names_of(objects),
                  {"delete", "--filename=-", "--ignore-not-found", "--wait=false"},
                  to_text(list_of(objects)));
}

void Kubectl::patch(std::string_view resource, const std::string& name, const Scope& scope,
                    const Json& patch) const {
    require_name(plural(resource), name);
    std::vector<std::string> arguments{
        "patch",        std::string(resource),       name,
        "--type=merge", "--patch=" + to_text(patch), std::string("--field-manager=") + field_manager};
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
    // Names of RBAC objects may have colons, too.
    const auto is_good = [](std::string_view text) {
        return !text.empty() && text.size() <= olmv1::longest_subdomain && text.front() != '-' &&
               text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:_") ==
                   text.npos;
    };
    if (is_good(name)) return;
    throw UsageError(fmt::format("\"{}\" cannot be the name of one of the {}", name, what),
                     "names have lower-case letters, digits, '-' and '.'");
}

void require_namespace(const std::string& name) {
    if (olmv1::is_dns1123_label(name) && name.size() <= olmv1::longest_label) return;
    throw UsageError(fmt::format("\"{}\" cannot be the name of a namespace", name),
                     "names have lower-case letters, digits and '-', at most 63 characters");
}

} // namespace opcat::cluster
