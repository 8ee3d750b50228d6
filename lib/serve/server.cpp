#include "opcat/serve/server.hpp"

#include "opcat/base/thread_pool.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/grpc_listener.hpp"
#include "opcat/serve/http_listener.hpp"
#include "opcat/serve/web_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace opcat::serve {

struct Server::Shared {
    ServerOptions options;
    const ServedCatalogs& catalogs;
    Metrics metrics;

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
    }
    if (problems.empty()) problems = "ready";
    while (problems.ends_with('\n')) problems.pop_back();
    HttpAnswer answer = text_answer(ready ? 200 : 503, std::move(problems));
    if (!ready) answer.headers.emplace_back("Retry-After", "1");
    return answer;
}

std::optional<HttpAnswer> Server::Shared::answer(const HttpRequest& request) const {
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    if (options.health_paths && request.reads()) {
        const auto without_body_for_head = [&](HttpAnswer answer) {
            if (request.method == "HEAD") answer.body.clear();
            return answer;
        };
        if (path == "/healthz") return without_body_for_head(text_answer(200, "ok"));
        if (path == "/readyz") return without_body_for_head(readiness());
        if (path == "/metrics") {
            std::vector<CatalogFigures> figures;
            for (const auto& catalog : catalogs) figures.push_back(catalog->figures());
            HttpAnswer answer = text_answer(200, metrics.to_text(figures));
            answer.headers[0].second = "text/plain; version=0.0.4; charset=utf-8";
            return without_body_for_head(std::move(answer));
        }
    }
    if (!request.target.starts_with('/')) return text_answer(400, "400 Bad Request");
    if (options.web && is_web_path(path, catalogs))
        return answer_for_web(request, catalogs, options.make_pages);
    return answer_for_catalogs(
        request, [this](std::string_view name) { return find_document(name); }, options.paths);
}

// A thread with its loop and its listeners.
class Server::Worker {
public:
    explicit Worker(Shared& shared)
        : http_(
              loop_, [&shared](const HttpRequest& request) { return shared.answer(request); },
              shared.options.limits, shared.metrics, shared.options.tls.get()),
          grpc_(loop_, shared.options.limits, shared.metrics, shared.options.tls.get()),
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
    void catalogs_changed() {
        loop_.post([this] {
            http_.catalogs_changed();
            grpc_.catalogs_changed();
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

Server::Server(const ServerOptions& options, const ServedCatalogs& catalogs)
    : shared_(new Shared{options, catalogs, Metrics(options.on_request)}) {
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

Server::~Server() = default;

const std::vector<Endpoint>& Server::http() const {
    return shared_->options.http;
}

const std::vector<GrpcPort>& Server::grpc() const {
    return shared_->options.grpc;
}

void Server::catalogs_changed() {
    for (const auto& worker : workers_) worker->catalogs_changed();
}

void Server::drain(std::chrono::milliseconds longest) {
    const auto deadline = std::chrono::steady_clock::now() + longest;
    for (const auto& worker : workers_) worker->begin_drain(deadline);
    for (const auto& worker : workers_) worker->join();
}

} // namespace opcat::serve
