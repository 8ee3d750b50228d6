#include "opcat/serve/server.hpp"

#include "opcat/base/thread_pool.hpp"
#include "opcat/serve/catalog_document.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/grpc_listener.hpp"
#include "opcat/serve/http_answers.hpp"
#include "opcat/serve/http_listener.hpp"
#include "opcat/serve/slow_answers.hpp"
#include "opcat/serve/tls.hpp"
#include "opcat/serve/web_answers.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace opcat::serve {

struct Server::Shared {
    ServerOptions options;
    const ServedCatalogs& catalogs;
    Metrics metrics;
    Places places;
    Budget budget = {};
    std::unique_ptr<SlowAnswers> slow_answers = nullptr;

    // Returns true if `answer` gives one at once, of which nobody is to be kept out.
    bool is_about_health(const HttpRequest& request) const;
    std::optional<HttpAnswer> answer(const HttpRequest& request) const;
    HttpAnswer readiness() const;
    std::optional<std::shared_ptr<const CatalogDocument>> find_document(std::string_view name) const;
};

std::optional<std::shared_ptr<const CatalogDocument>>
Server::Shared::find_document(std::string_view name) const {
    for (const auto& catalog : catalogs) {
        if (catalog->name() != name) continue;
        const auto snapshot = catalog->snapshot();
        return snapshot ? snapshot->document : nullptr;
    }
    return std::nullopt;
}

namespace {

std::string problems_of(const CertificateFigures& certificate) {
    std::string problems;
    if (!certificate.problem.empty())
        problems +=
            fmt::format("certificate: the one that was read before is in use: {}\n", certificate.problem);
    if (certificate.expires <= std::time(nullptr))
        problems += fmt::format("certificate: it expired on {:%Y-%m-%d}\n",
                                fmt::gmtime(static_cast<std::time_t>(certificate.expires)));
    return problems;
}

} // namespace

HttpAnswer Server::Shared::readiness() const {
    std::string problems;
    bool ready = true;
    for (const auto& catalog : catalogs) {
        if (!catalog->snapshot()) {
            ready = false;
            problems += fmt::format("catalog {} is being loaded\n", catalog->name());
        }
        if (const std::string problem = catalog->problem(); !problem.empty())
            problems +=
                fmt::format("catalog {}: the last load failed, the version before it is served:\n{}\n",
                            catalog->name(), problem);
        if (const std::string problem = catalog->watch_problem(); !problem.empty())
            problems += fmt::format("catalog {}: it is not known if there is a newer version: {}\n",
                                    catalog->name(), problem);
    }
    if (options.tls) problems += problems_of(options.tls->figures());
    if (problems.empty()) problems = "ready";
    while (problems.ends_with('\n')) problems.pop_back();
    HttpAnswer answer = text_answer(ready ? 200 : 503, std::move(problems));
    if (!ready) answer.headers.emplace_back("Retry-After", "1");
    return answer;
}

bool Server::Shared::is_about_health(const HttpRequest& request) const {
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    return options.health_paths && request.reads() &&
           (path == "/healthz" || path == "/readyz" || path == "/metrics");
}

std::optional<HttpAnswer> Server::Shared::answer(const HttpRequest& request) const {
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    if (is_about_health(request)) {
        const auto without_body_for_head = [&](HttpAnswer answer) {
            if (request.method == "HEAD") answer.body.clear();
            return answer;
        };
        if (path == "/healthz") return without_body_for_head(text_answer(200, "ok"));
        if (path == "/readyz") return without_body_for_head(readiness());
        std::vector<CatalogFigures> figures;
        for (const auto& catalog : catalogs) figures.push_back(catalog->figures());
        const auto certificate = options.tls ? std::optional(options.tls->figures()) : std::nullopt;
        HttpAnswer answer = text_answer(200, metrics.to_text(figures, certificate));
        answer.headers[0].second = "text/plain; version=0.0.4; charset=utf-8";
        return without_body_for_head(std::move(answer));
    }
    if (!request.target.starts_with('/')) return text_answer(400, "400 Bad Request");
    if (options.make_pages && is_web_path(path, catalogs))
        return answer_for_web(request, catalogs, {options.make_pages, options.allow_query, *slow_answers});
    return answer_for_catalogs(
        request, [this](std::string_view name) { return find_document(name); }, options.metas);
}

// A thread with its loop and its listeners.
class Server::Worker {
public:
    explicit Worker(Shared& shared)
        : http_(loop_,
                {.answer = [&shared](const HttpRequest& request) { return shared.answer(request); },
                 .is_about_health = [&shared](const HttpRequest& r) { return shared.is_about_health(r); }},
                shared.options.limits, shared.metrics, shared.places, shared.budget,
                shared.options.tls.get()),
          grpc_(loop_, shared.options.limits, shared.metrics, shared.places, shared.budget,
                shared.options.tls.get()),
          drain_timer_(loop_, std::chrono::milliseconds(20), [this] { check_drained(); }) {}
    ~Worker() {
        if (!thread_.joinable()) return;
        loop_.post([this] { loop_.stop(); });
        thread_.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    HttpListener& http() { return http_; }
    GrpcListener& grpc() { return grpc_; }

    void start() {
        loop_.watch();
        thread_ = start_thread("answers requests", [this] { loop_.run(); });
    }

    void begin_drain(std::chrono::steady_clock::time_point deadline) {
        loop_.post([this, deadline] {
            deadline_ = deadline;
            http_.begin_drain();
            grpc_.begin_drain();
            drain_timer_.start();
        });
    }
    void join() { thread_.join(); }
    void catalogs_changed(bool replaced) {
        loop_.post([this, replaced] {
            http_.catalogs_changed(replaced);
            grpc_.catalogs_changed(replaced);
        });
    }

private:
    void check_drained() {
        const bool busy = http_.is_busy() || grpc_.is_busy();
        if (!busy || std::chrono::steady_clock::now() >= deadline_) loop_.stop();
    }

    EventLoop loop_;
    HttpListener http_;
    GrpcListener grpc_;
    Timer drain_timer_;
    std::chrono::steady_clock::time_point deadline_;
    std::thread thread_;
};

namespace {

// As many as the system has descriptors for, so that some are left for files.
Places::Sizes places_for(const Limits& limits) {
    constexpr rlim_t for_files = 64;
    rlimit descriptors{};
    if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return Places::sizes(limits.connections, SIZE_MAX);
    if (descriptors.rlim_cur < descriptors.rlim_max) {
        const rlimit all{descriptors.rlim_max, descriptors.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &all) == 0) descriptors = all;
    }
    const rlim_t left = descriptors.rlim_cur > for_files ? descriptors.rlim_cur - for_files : 0;
    return Places::sizes(limits.connections, static_cast<size_t>(left));
}

} // namespace

Server::Server(const ServerOptions& options, const ServedCatalogs& catalogs)
    : shared_(
          new Shared{options, catalogs, Metrics(options.on_request), Places(places_for(options.limits))}) {
    shared_->options.limits = options.limits.within_idle();
    if (options.make_pages)
        shared_->slow_answers = std::make_unique<SlowAnswers>([this] { catalogs_changed(false); });
    for (unsigned i = 0; i < options.threads; ++i) workers_.push_back(std::make_unique<Worker>(*shared_));
    for (Endpoint& endpoint : shared_->options.http) {
        std::vector<Socket> sockets = listen_at(endpoint, options.threads);
        for (size_t i = 0; i < workers_.size(); ++i) workers_[i]->http().listen(std::move(sockets[i]));
    }
    for (GrpcPort& port : shared_->options.grpc) {
        std::vector<Socket> sockets = listen_at(port.endpoint, options.threads);
        for (size_t i = 0; i < workers_.size(); ++i)
            workers_[i]->grpc().listen(std::move(sockets[i]), *catalogs[port.catalog]);
    }
    for (const auto& worker : workers_) worker->start();
}

Server::~Server() {
    // Its thread wakes those of the workers.
    if (shared_->slow_answers) shared_->slow_answers->stop();
}

const std::vector<Endpoint>& Server::http() const {
    return shared_->options.http;
}

const std::vector<GrpcPort>& Server::grpc() const {
    return shared_->options.grpc;
}

void Server::catalogs_changed(bool replaced) {
    for (const auto& worker : workers_) worker->catalogs_changed(replaced);
}

void Server::drain(std::chrono::milliseconds longest) {
    const auto deadline = std::chrono::steady_clock::now() + longest;
    for (const auto& worker : workers_) worker->begin_drain(deadline);
    for (const auto& worker : workers_) worker->join();
}

} // namespace opcat::serve
