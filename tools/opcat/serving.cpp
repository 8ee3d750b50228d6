#include "serving.hpp"

#include "catalog_site.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <mutex>
#include <utility>

namespace opcat {
namespace {

using Clock = std::chrono::steady_clock;

// Events on standard error, one on a line, in the form that opm's have, or as JSON.
class Log {
public:
    Log(LogFormat format, const Session& session) : format_(format), session_(session) {}

    using Values = Session::LogValues;

    void info(std::string_view message, const Values& values = {}) const {
        if (!session_.options.quiet) write("info", message, values);
    }
    void warning(std::string_view message, const Values& values = {}) const {
        write("warning", message, values);
    }

private:
    void write(std::string_view level, std::string_view message, const Values& values) const {
        if (format_ == LogFormat::none) return;
        if (format_ == LogFormat::json) return session_.log(level, message, values);
        const std::string time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
        std::string line = fmt::format("time=\"{}\" level={} msg={}", time, level, go_quote(message));
        for (const auto& [name, value] : values) {
            const bool plain = !value.empty() && value.find_first_of(" \"=\\") == value.npos;
            line += fmt::format(" {}={}", name, plain ? escape_controls(value) : go_quote(value));
        }
        session_.print(line + "\n");
    }

    LogFormat format_;
    const Session& session_;
};

// What signals and the clock ask the serving thread to do.
class Control {
public:
    enum class Wish : uint8_t { none, pages, reload, stop };

    void ask_for(Wish wish) {
        {
            const std::lock_guard lock(mutex_);
            wish_ = std::max(wish_, wish);
        }
        changed_.notify_one();
    }
    // The most urgent request; none when the time is over.
    Wish wait(std::optional<Clock::duration> longest) {
        std::unique_lock lock(mutex_);
        const auto asked = [&] { return wish_ != Wish::none; };
        if (longest)
            changed_.wait_for(lock, *longest, asked);
        else
            changed_.wait(lock, asked);
        return wish_ == Wish::stop ? wish_ : std::exchange(wish_, Wish::none);
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    Wish wish_ = Wish::none;
};

class Serving {
public:
    Serving(const ServingOptions& options, Session& session)
        : options_(options), session_(session), log_(options.log, session),
          loader_(loading(), session.pool()) {}
    ~Serving() { handle_signals({}); }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

    void run() {
        handle_signals([this](int signal) {
            if (signal != SIGHUP && stopping_.exchange(true)) return false; // a second one ends at once
            control_.ask_for(signal == SIGHUP ? Control::Wish::reload : Control::Wish::stop);
            return true;
        });
        serve::ServerOptions server_options = options_.server;
        if (options_.log_requests)
            server_options.on_request = [this](const serve::FinishedRequest& request) {
                log_request(request);
            };
        if (options_.web) server_options.make_pages = [this] { control_.ask_for(Control::Wish::pages); };
        serve::Server server(server_options, loader_.catalogs());
        loader_.serve_by(server);
        for (const serve::Endpoint& endpoint : server.http())
            log_.info("listening", {{"protocol", "http"}, {"address", endpoint.to_text()}});
        for (const serve::GrpcPort& port : server.grpc())
            log_.info("listening", {{"protocol", "grpc"}, {"address", port.endpoint.to_text()}});
        try {
            for (size_t i = 0; i < options_.sources.size() && !stopping_; ++i) loader_.load(i);
        } catch (...) {
            server.drain(std::chrono::milliseconds(200)); // calls that wait learn of it
            if (!stopping_) throw;
            log_.info("ending");
            return;
        }
        loader_.make_wanted_pages();
        loader_.compress_large_ones();
        wait_for_wishes();
        log_.info("ending");
        server.drain(options_.drain);
    }

    void check() {
        for (size_t i = 0; i < options_.sources.size(); ++i) loader_.load(i);
        if (!options_.shows_check) return;
        for (const auto& catalog : loader_.catalogs()) {
            const serve::CatalogFigures figures = catalog->figures();
            session_.out.write(fmt::format(
                "{}: {}, {}{}, loaded in {:.2f} s\n", figures.name, counted(figures.packages, "package"),
                counted(figures.bundles, "bundle"),
                figures.bytes == 0 ? std::string() : ", " + human_size(figures.bytes) + " over HTTP",
                figures.load_seconds));
        }
        session_.out.write(fmt::format("memory: {}\n", human_size(serve::resident_memory())));
    }

private:
    serve::LoaderOptions loading() {
        ImageFlags images = options_.images;
        images.cancelled = &stopping_; // a registry that is silent must not delay the end
        OpenOptions how = opening(images, session_);
        how.follow_links = true;
        return {
            .sources = options_.sources,
            .server = options_.server,
            .how = std::move(how),
            .has_pages = options_.web && !options_.only_check,
            .compares_images = options_.watch.has_value(),
            .stopping = stopping_,
            .on_findings = [this](const Diagnostics& findings) { print_findings(findings, session_); },
            .on_error = [this](const Error& error) { session_.print_error(error.what(), error.hint()); },
            .on_warning =
                [this](std::string_view what, const std::string& catalog, const std::string& problem) {
                    Log::Values values{{"catalog", catalog}};
                    if (!problem.empty()) values.emplace_back("problem", problem);
                    log_.warning(what, values);
                },
            .on_loaded =
                [this](const serve::ServedSource& source, const serve::Snapshot& snapshot, double seconds) {
                    log_.info("serving catalog", {{"catalog", source.name},
                                                  {"packages", std::to_string(snapshot.packages)},
                                                  {"bundles", std::to_string(snapshot.bundles)},
                                                  {"seconds", fmt::format("{:.3f}", seconds)}});
                }};
    }

    // On the threads that answer.
    void log_request(const serve::FinishedRequest& request) const {
        const std::string_view path = request.target.substr(0, request.target.find('?'));
        if (path.starts_with("/grpc.health.") || path == "/healthz" || path == "/readyz" ||
            path == "/metrics")
            return;
        constexpr size_t longest = 2000;
        const bool is_http = request.protocol == serve::Protocol::http;
        log_.info("request",
                  {{"protocol", is_http ? "http" : "grpc"},
                   {"method", is_http ? std::string(request.method) : "call"},
                   {"target", std::string(request.target.substr(0, longest))},
                   {"code", std::string(request.code)},
                   {"seconds", fmt::format("{:.6f}", std::chrono::duration<double>(request.took).count())}});
    }

    void wait_for_wishes() {
        while (true) {
            const Control::Wish wish = control_.wait(look_interval());
            if (wish == Control::Wish::stop) return;
            reload_certificates();
            const bool asked = wish == Control::Wish::reload;
            if (asked || (wish == Control::Wish::none && options_.watch)) loader_.load_changed(asked);
            loader_.make_wanted_pages();
        }
    }

    // How long to wait for a request before there is something to look at.
    std::optional<Clock::duration> look_interval() const {
        constexpr std::chrono::seconds certificates{10};
        if (options_.watch && options_.tls) return std::min(*options_.watch, certificates);
        if (options_.tls) return certificates;
        return options_.watch;
    }

    void reload_certificates() {
        if (!options_.tls) return;
        try {
            if (options_.tls->reload_if_changed()) log_.info("certificates read anew");
        } catch (const Error& error) {
            session_.print_error(error.what(), error.hint());
            log_.warning("new connections get the certificates that were read before");
        }
    }

    const ServingOptions& options_;
    Session& session_;
    Log log_;
    Control control_;
    std::atomic<bool> stopping_ = false;
    serve::CatalogLoader loader_;
};

// The file in which Kubernetes shows why a container ended. It exists before, mounted, so it is written in
// place.
void write_termination_log(const std::string& path, const std::string& reason) {
    if (path.empty()) return;
    std::ofstream(path) << reason;
}

} // namespace

void serve_catalogs(const ServingOptions& options, Session& session) {
    try {
        require_existing(options.sources, session);
        Serving serving(options, session);
        if (options.only_check)
            serving.check();
        else
            serving.run();
    } catch (const serve::Unservable& unservable) {
        write_termination_log(options.termination_log, unservable.problem);
        session.exit_status = unservable.may_pass ? exit_environment : exit_findings;
    } catch (const Error& error) {
        write_termination_log(options.termination_log, error.what());
        throw;
    }
}

} // namespace opcat
