#include "opcat/cluster/kubectl.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <semaphore>
#include <thread>
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

// Waits until fewer processes run than there may be.
class Turn {
public:
    explicit Turn(std::counting_semaphore<>& turns) : turns_(turns) { turns.acquire(); }
    ~Turn() { turns_.release(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    std::counting_semaphore<>& turns_;
};

// kubectl's output for several objects: nothing, a single one, or a list.
std::vector<Object> objects_in(const std::string& out, const std::string& doing) {
    if (out.find_first_not_of(" \n") == out.npos) return {};
    return kube::objects_in(kube::parse_object(out, doing));
}

std::vector<Object> joined(std::vector<std::vector<Object>> lists) {
    std::vector<Object> all;
    for (std::vector<Object>& list : lists) std::move(list.begin(), list.end(), std::back_inserter(all));
    return all;
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

// What all threads and copies know of the server.
struct Kubectl::Shared {
    explicit Shared(unsigned calls_at_once) : calls(calls_at_once) {}

    std::atomic<bool> reached = false; // the server has answered before
    std::counting_semaphore<> calls;   // each is a process
    std::mutex mutex;                  // of the rest
    bool outage_reported = false;
    std::optional<Object> api_groups;
    std::map<std::string, std::string> answers; // by path
};

Kubectl::Kubectl(KubectlOptions options, RunProcess run)
    : options_(std::move(options)), run_(std::move(run)),
      shared_(std::make_shared<Shared>(options_.calls_at_once)) {}

void Kubectl::together(const std::vector<std::function<void()>>& questions) const {
    std::vector<std::exception_ptr> failures(questions.size());
    std::atomic<size_t> next = 0;
    const auto ask = [&] {
        for (size_t i = next++; i < questions.size(); i = next++) {
            try {
                questions[i]();
            } catch (...) {
                failures[i] = std::current_exception();
            }
        }
    };
    std::vector<std::thread> threads;
    const size_t wanted = std::min<size_t>(questions.size(), options_.calls_at_once);
    try {
        while (threads.size() + 1 < wanted) threads.push_back(start_thread("asks the cluster", ask));
    } catch (const Error&) { // NOLINT(bugprone-empty-catch): those that there are ask one after the other
    }
    ask();
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

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
    const Turn turn(shared_->calls);
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
    bool was_ready = false; // before the call
    for (int i = 1;; ++i) {
        Failure failure;
        try {
            ProcessResult result = call(doing, arguments, input);
            if (result.exit_status == 0) {
                shared_->reached = true;
                const std::lock_guard lock(shared_->mutex);
                shared_->outage_reported = false;
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
        if (failure.is_answer()) shared_->reached = true;
        const bool again = failure.kind == FailureKind::server && i < tries;
        if (!again && !(shared_->reached && is_outage(failure) &&
                        options_.clock.now() - start < options_.longest_outage))
            throw KubectlError(doing, std::move(failure));
        if (i >= tries) report_outage(failure);
        options_.clock.sleep(std::min(first_pause * (1 << std::min(i - 1, 2)), longest_pause));
    }
}

void Kubectl::report_outage(const Failure& failure) const {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->outage_reported || !options_.on_outage) return;
    options_.on_outage(fmt::format("{}; waiting for it, for up to {}", words_for(failure),
                                   seconds_of(options_.longest_outage)));
    shared_->outage_reported = true;
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
    {
        const std::lock_guard lock(shared_->mutex);
        if (shared_->api_groups) return *shared_->api_groups;
    }
    const auto remembered = [&](Object answer) {
        const std::lock_guard lock(shared_->mutex);
        return shared_->api_groups.emplace(std::move(answer));
    };
    const auto start = options_.clock.now();
    for (bool was_ready = false;;) {
        Object answer;
        bool ready = false; // at about that time
        std::vector<std::function<void()>> questions{[&] {
            answer = kube::parse_object(call_or_throw(doing, {"get", "--raw", "/apis"}),
                                        "the cluster's API groups");
        }};
        if (!was_ready) questions.emplace_back([&] { ready = is_ready(); });
        together(questions);
        bool has_classic = false;
        bool has_v1 = false;
        for (const Fields group : answer.items("groups")) {
            has_classic = has_classic || group.text("name") == resource::classic_group;
            has_v1 = has_v1 || group.text("name") == resource::v1_group;
        }
        if ((has_classic && has_v1) || was_ready) return remembered(std::move(answer));
        // As above: only its answers after it was ready count.
        was_ready = ready;
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
    return std::string(kube::parse_object(raw_once("/version"), "the cluster's version").text("gitVersion"));
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

std::vector<Object> Kubectl::list_kind(std::string_view resource, const Scope& scope,
                                       const std::string& filter) const {
    // All in one answer: pieces would be asked for one after the other.
    std::vector<std::string> arguments{"get", std::string(resource), "--output=json", "--chunk-size=0"};
    add_scope(arguments, scope);
    if (!filter.empty()) arguments.push_back(filter);
    const std::string doing = fmt::format("list {}{}", plural(resource), place(scope));
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

std::vector<Object> Kubectl::list(std::string_view resources, const Scope& scope,
                                  const std::string& selector) const {
    const std::vector<std::string_view> kinds = split_kinds(resources);
    const std::string filter = selector.empty() ? std::string() : "--selector=" + selector;
    std::vector<std::vector<Object>> found(kinds.size());
    std::vector<std::function<void()>> questions;
    for (size_t i = 0; i < kinds.size(); ++i)
        questions.emplace_back([&, i] { found[i] = list_kind(kinds[i], scope, filter); });
    together(questions);
    return joined(std::move(found));
}

std::vector<Object> Kubectl::list_named(std::string_view resource, const std::string& name,
                                        const Scope& scope) const {
    require_name(plural(resource), name);
    return list_kind(resource, scope, "--field-selector=metadata.name=" + name);
}

std::vector<Object> Kubectl::list_permitted(std::string_view required, std::vector<const char*>& optional,
                                            const Scope& scope, std::vector<std::string>& unread,
                                            const std::string& selector) const {
    std::vector<std::vector<Object>> found(optional.size() + 1);
    std::vector<std::string> refusals(optional.size()); // empty: permitted
    std::vector<std::function<void()>> questions{[&] { found[0] = list(required, scope, selector); }};
    for (size_t i = 0; i < optional.size(); ++i)
        questions.emplace_back([&, i] {
            try {
                found[i + 1] = list(optional[i], scope, selector);
            } catch (const KubectlError& error) {
                if (error.kind() != FailureKind::forbidden) throw;
                refusals[i] = error.what();
            }
        });
    together(questions);
    std::vector<const char*> permitted;
    for (size_t i = 0; i < optional.size(); ++i) {
        if (refusals[i].empty())
            permitted.push_back(optional[i]);
        else
            unread.push_back(std::move(refusals[i]));
    }
    optional = std::move(permitted);
    return joined(std::move(found));
}

std::string Kubectl::raw(const std::string& path) const {
    return call_or_throw("ask the cluster for " + path, {"get", "--raw", path});
}

std::string Kubectl::raw_once(const std::string& path) const {
    {
        const std::lock_guard lock(shared_->mutex);
        if (const auto known = shared_->answers.find(path); known != shared_->answers.end())
            return known->second;
    }
    std::string answer = raw(path);
    const std::lock_guard lock(shared_->mutex);
    return shared_->answers.emplace(path, std::move(answer)).first->second;
}

void Kubectl::raw_ahead(const std::vector<std::string>& paths) const {
    std::vector<std::function<void()>> questions;
    for (const std::string& path : paths)
        questions.emplace_back([&] {
            try {
                raw_once(path);
            } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): whoever needs it handles it
            }
        });
    together(questions);
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
        if (!shared_->reached || !is_outage(failure) ||
            options_.clock.now() - start >= options_.longest_outage)
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
    const std::vector<std::string> outputs = in_parts(reviews, [&](const std::vector<Object>& part) {
        return call_or_throw(
            doing,
            {"create", "--filename=-", "--validate=false", "--output=jsonpath={.status.allowed}{\"\\n\"}"},
            kube::to_text(part));
    });
    std::vector<bool> allowed;
    for (const std::string& out : outputs)
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
    return objects_in_parts(objects, doing, arguments);
}

std::vector<Object> Kubectl::existing(const std::vector<Object>& objects) const {
    if (objects.empty()) return {};
    const std::string doing = "read " + names_of(objects);
    std::vector<Object> asked = objects;
    std::vector<Object> found;
    // A bundle may own dozens: then one list of all is sooner there than they are one after the other.
    if (std::count_if(objects.begin(), objects.end(), is_crd) > options_.calls_at_once) {
        try {
            found = list(resource::crds);
            std::erase_if(asked, is_crd);
        } catch (const KubectlError& error) {
            if (error.kind() != FailureKind::forbidden) throw; // who may not list may read single ones
        }
    }
    const std::vector<std::string> arguments{"get", "--filename=-", "--ignore-not-found", "--output=json"};
    for (Object& object : objects_in_parts(asked, doing, arguments)) found.push_back(std::move(object));
    // In the order of the question.
    std::vector<Object> ordered;
    for (const Object& object : objects)
        if (const Object* const same = kube::find_same(found, object)) ordered.push_back(*same);
    return ordered;
}

std::vector<Object> Kubectl::objects_in_parts(const std::vector<Object>& objects, const std::string& doing,
                                              const std::vector<std::string>& arguments) const {
    std::vector<Object> found;
    for (const std::string& out : in_parts(objects, [&](const std::vector<Object>& part) {
             return call_or_throw(doing, arguments, kube::to_text(part));
         }))
        for (Object& object : objects_in(out, doing)) found.push_back(std::move(object));
    return found;
}

// kubectl asks about one object after the other, so each part is a process of its own.
std::vector<std::string>
Kubectl::in_parts(const std::vector<Object>& objects,
                  const std::function<std::string(const std::vector<Object>& part)>& call) const {
    std::vector<std::string> outputs(std::min<size_t>(objects.size(), options_.calls_at_once));
    std::vector<std::function<void()>> questions;
    for (size_t i = 0; i < outputs.size(); ++i)
        questions.emplace_back([&, i] {
            const auto at = [&](size_t part) {
                return objects.begin() + static_cast<ptrdiff_t>(objects.size() * part / outputs.size());
            };
            outputs[i] = call({at(i), at(i + 1)});
        });
    together(questions);
    return outputs;
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
