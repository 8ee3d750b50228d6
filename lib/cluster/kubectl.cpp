#include "opcat/cluster/kubectl.hpp"

#include "opcat/base/text.hpp"
#include "opcat/base/thread_pool.hpp"

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

// The knowledge about the server that all threads and copies share.
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

std::vector<std::string> Kubectl::command_line(std::vector<std::string> arguments) const {
    std::vector<std::string> all{options_.program};
    // Values are never separate arguments, so that none can be read as a flag.
    if (!options_.kubeconfig.empty()) all.push_back("--kubeconfig=" + options_.kubeconfig);
    if (!options_.context.empty()) all.push_back("--context=" + options_.context);
    if (!options_.as.empty()) all.push_back("--as=" + options_.as);
    std::move(arguments.begin(), arguments.end(), std::back_inserter(all));
    return all;
}

ProcessResult Kubectl::call(const std::string& doing, std::vector<std::string> arguments,
                            std::string_view input) const {
    ProcessRequest request;
    request.arguments = command_line(std::move(arguments));
    request.input = input;
    request.timeout = options_.call_timeout;
    constexpr size_t most_of_an_answer = size_t{16} << 20; // of one that lists no objects
    if (std::ranges::find(request.arguments, "--raw") != request.arguments.end())
        request.max_output = most_of_an_answer;
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
            const std::string what = error.what();
            failure.kind = what.ends_with("was stopped") ? FailureKind::other : FailureKind::program;
            failure.message = what;
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
        if (!answer.at("groups").value().is_array())
            throw Error(fmt::format("cannot {}: the answer of kubectl is not a list of API groups", doing));
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
    questions.reserve(paths.size());
    for (const std::string& path : paths)
        questions.emplace_back([&] {
            try {
                raw_once(path);
            } catch (const KubectlError&) { // NOLINT(bugprone-empty-catch): whoever needs it handles it
            }
        });
    together(questions);
}

void Kubectl::require_right(std::string_view verb, const Object& object, const std::string& name) const {
    const std::string resource =
        plural_of_kind(object.kind()) + (object.group().empty() ? "" : ".") + std::string(object.group());
    const std::string doing = fmt::format("{} {}", verb, object.describe());
    std::vector<std::string> arguments{"auth", "can-i", std::string(verb),
                                       name.empty() ? resource : resource + "/" + name};
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

} // namespace opcat::cluster
