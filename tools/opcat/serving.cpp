#include "serving.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/serve/catalog_document.hpp"
#include "opcat/serve/registry_snapshot.hpp"
#include "opcat/serve/served_pages.hpp"
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

// The state of a catalog when it was loaded: equal states mean equal catalogs.
struct SourceState {
    serve::TreeState tree; // of a directory
    std::string digest;    // of an image in a registry that is watched

    friend bool operator==(const SourceState&, const SourceState&) = default;
};

// A catalog with mistakes, or with files that cannot be read. All of that has been shown.
struct Unservable {
    std::string problem; // the findings as text
    ExitStatus status;
};

// An action whose failures are all Errors. `doing`: "load the catalog shop".
template <class Action>
void with_errors(const std::string& doing, const Action& action) {
    try {
        action();
    } catch (const std::bad_alloc&) {
        throw Error(fmt::format("cannot {}: there is not enough memory", doing),
                    "give the server more memory, or serve a part of the catalog");
    } catch (const std::system_error& error) { // of the file system
        throw Error(fmt::format("cannot {}: {}", doing, error.what()));
    }
}

class Serving {
public:
    Serving(const ServingOptions& options, Session& session)
        : options_(options), session_(session), log_(options.log, session), images_(options.images) {
        images_.cancelled = &stopping_; // a registry that is silent must not delay the end
        for (const ServedSource& source : options.sources)
            catalogs_.push_back(std::make_unique<serve::ServedCatalog>(source.name));
        states_.resize(options.sources.size());
        served_states_ = states_;
        watch_problems_.resize(options.sources.size());
        findings_.resize(options.sources.size());
    }
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
        serve::Server server(server_options, catalogs_);
        server_ = &server;
        for (const serve::Endpoint& endpoint : server.http())
            log_.info("listening", {{"protocol", "http"}, {"address", endpoint.to_text()}});
        for (const serve::GrpcPort& port : server.grpc())
            log_.info("listening", {{"protocol", "grpc"}, {"address", port.endpoint.to_text()}});
        try {
            for (size_t i = 0; i < catalogs_.size() && !stopping_; ++i) load(i);
        } catch (...) {
            server.drain(std::chrono::milliseconds(200)); // calls that wait learn of it
            if (!stopping_) throw;
            log_.info("ending");
            return;
        }
        make_wanted_pages();
        compress_large_ones();
        wait_for_wishes();
        log_.info("ending");
        server.drain(options_.drain);
    }

    void check() {
        for (size_t i = 0; i < catalogs_.size(); ++i) load(i);
        if (!options_.shows_check) return;
        for (const auto& catalog : catalogs_) {
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
    bool has_grpc(size_t which) const {
        const auto& ports = options_.server.grpc;
        return std::any_of(ports.begin(), ports.end(),
                           [&](const serve::GrpcPort& port) { return port.catalog == which; });
    }

    // Throws Unservable, or Error for what cannot be reached.
    void load(size_t which) {
        with_errors("load the catalog " + options_.sources[which].name, [&] { load_source_of(which); });
    }

    // Those of the next version are made when they are asked for: both at once are more than a server needs.
    void forget_pages(size_t which) {
        auto served = catalogs_[which]->snapshot();
        if (!served || !served->pages) return;
        auto snapshot = std::make_shared<serve::Snapshot>(*served);
        served.reset();
        snapshot->pages.reset();
        catalogs_[which]->add_pages(std::move(snapshot));
        return_free_memory();
    }

    void load_source_of(size_t which) {
        forget_pages(which);
        const ServedSource& source = options_.sources[which];
        const auto begin = Clock::now();
        // Before it is read, so that later changes are noticed later.
        states_[which] = state_of(source);
        const bool checks_only = !wants_http() && options_.server.grpc.empty();
        const bool wants_registry = has_grpc(which) || checks_only;
        ThreadPool& pool = session_.pool();
        const serve::ServedApis apis{.http = wants_http(), .grpc = wants_registry};
        // Everything that is served is made of a text; the files are not kept.
        std::shared_ptr<serve::Snapshot> snapshot;
        std::optional<Source> opened; // an image, which is not read again
        if (source.is_directory) {
            snapshot = serve::make_snapshot(document_in_parts(which, wants_registry), apis, pool);
            // The findings have their places in the files.
            if (!snapshot) refuse_source(which);
        } else {
            opened = open_valid_source(which, wants_registry);
            snapshot = serve::make_snapshot(*opened, apis, pool);
        }
        const std::chrono::duration<double> took = Clock::now() - begin;
        const bool replaced = catalogs_[which]->snapshot() != nullptr;
        catalogs_[which]->publish(snapshot, took.count());
        served_states_[which] = states_[which];
        if (server_) server_->catalogs_changed(replaced);
        findings_[which].reset();
        if (!server_) return;
        log_.info("serving catalog", {{"catalog", source.name},
                                      {"packages", std::to_string(snapshot->packages)},
                                      {"bundles", std::to_string(snapshot->bundles)},
                                      {"seconds", fmt::format("{:.3f}", took.count())}});
        if (opened && wants_pages()) findings_[which] = pages::find_for_pages(*opened, pool);
        opened.reset();
        return_free_memory(); // data of loading that serving does not need
    }

    bool wants_pages() const { return options_.web && wants_http() && !options_.only_check; }

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

    SourceState state_of(const ServedSource& source) const {
        if (source.is_directory) return {serve::tree_state(source.reference), {}};
        return {{}, options_.watch ? current_digest(source, images_, session_) : std::string()};
    }

    // Of directories, which the user trusts.
    LoadOptions reading(bool names_only = false) const {
        return {.follow_links = true, .skip_git = !session_.as_opm(), .names_only = names_only};
    }

    bool wants_http() const { return !options_.server.http.empty(); }

    // With little memory. Without a registry only names are checked, as catalogd does.
    std::shared_ptr<serve::CatalogDocument> document_in_parts(size_t which, bool wants_registry) {
        const serve::TreeState& state = states_[which].tree;
        const auto document =
            std::make_shared<serve::CatalogDocument>(state.newest, state.bytes + state.bytes / 8);
        const Diagnostics problems = load_catalog_in_parts(
            options_.sources[which].reference, session_.pool(), reading(!wants_registry),
            [&](const Catalog& part) { document->add(part, session_.pool()); });
        if (has_errors(problems)) {
            if (wants_registry) refuse_source(which);
            refuse(problems);
        }
        document->finish();
        return document;
    }

    Source open_valid_source(size_t which, bool for_registry) {
        Source source = open_source(options_.sources[which], images_, session_);
        const LoadedCatalog& loaded = source.loaded();
        Diagnostics errors = for_registry ? find_errors(loaded, session_.pool()) : loaded.diagnostics;
        if (for_registry && errors.empty()) errors = serve::find_serving_errors(loaded.catalog);
        if (has_errors(errors)) refuse(errors);
        return source;
    }

    // A source that has errors, as was found without their places.
    [[noreturn]] void refuse_source(size_t which) {
        static_cast<void>(open_valid_source(which, true));
        throw Error(fmt::format("cannot load the catalog {}: it has changed while it was being loaded",
                                options_.sources[which].name),
                    "try again");
    }

    // Those that browsers have requested since the last look.
    void make_wanted_pages() {
        for (size_t i = 0; i < catalogs_.size(); ++i) {
            const auto served = catalogs_[i]->snapshot();
            if (!catalogs_[i]->wants_pages() || !served) continue;
            auto snapshot = std::make_shared<serve::Snapshot>(*served);
            snapshot->pages_problem.clear(); // of the last attempt
            try {
                with_errors("make the pages", [&] {
                    std::vector<pages::PageFinding> findings = findings_of_served(i, *served);
                    return_free_memory(); // of the files
                    snapshot->pages =
                        serve::make_pages(options_.sources[i].name, served->document, std::move(findings),
                                          options_.server.allow_query, session_.pool());
                });
            } catch (const Error& error) {
                snapshot->pages_problem = error.what();
                log_.warning("the pages cannot be made",
                             {{"catalog", options_.sources[i].name}, {"problem", error.what()}});
            }
            catalogs_[i]->add_pages(std::move(snapshot));
            server_->catalogs_changed(false);
            return_free_memory();
        }
    }

    // The findings of the served version, from its files if they are unchanged and readable; else from what
    // is served, where they have other places.
    std::vector<pages::PageFinding> findings_of_served(size_t which, const serve::Snapshot& snapshot) {
        if (findings_[which]) return *findings_[which];
        const ServedSource& source = options_.sources[which];
        const auto is_unchanged = [&] { return state_of(source) == served_states_[which]; };
        if (source.is_directory && is_unchanged()) {
            if (auto found = pages::find_in_parts(source.reference, reading(), session_.pool());
                found && is_unchanged())
                return *std::move(found);
            const Source opened = open_source(source, images_, session_);
            if (is_unchanged() && count_findings(opened.loaded().diagnostics).unreadable == 0)
                return pages::find_for_pages(opened, session_.pool());
        }
        return pages::find_for_pages(
            Source(source.reference, serve::load_all(*snapshot.document, session_.pool())), session_.pool());
    }

    [[noreturn]] void refuse(const Diagnostics& errors) {
        std::string problem;
        for (const Diagnostic& finding : errors) problem += to_text(finding, {});
        if (problem != known_problem_) print_findings(errors, session_);
        throw Unservable{problem, exit_status_of(count_findings(errors))};
    }

    // Until then, and if that fails, their plain text is sent.
    void compress_large_ones() {
        for (const auto& catalog : catalogs_) {
            const auto snapshot = catalog->snapshot();
            if (!snapshot || !snapshot->document || snapshot->document->is_compressed()) continue;
            try {
                with_errors("compress the catalog " + catalog->name(),
                            [&] { snapshot->document->compress(session_.pool()); });
            } catch (const Error& error) {
                log_.warning("the catalog is sent without compression",
                             {{"catalog", catalog->name()}, {"problem", error.what()}});
            }
            return_free_memory();
        }
    }

    void wait_for_wishes() {
        std::vector<SourceState> seen = states_;
        while (true) {
            const Control::Wish wish = control_.wait(look_interval());
            if (wish == Control::Wish::stop) return;
            reload_certificates();
            if (wish == Control::Wish::reload || (wish == Control::Wish::none && options_.watch)) {
                const bool asked = wish == Control::Wish::reload;
                bool any = false;
                for (size_t i = 0; i < catalogs_.size(); ++i) {
                    if (!asked && !has_changed(i, seen[i])) continue;
                    reload(i, asked);
                    seen[i] = states_[i];
                    any = true;
                }
                if (any) compress_large_ones();
            }
            make_wanted_pages();
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

    // Returns true if it has changed since it was loaded, but not any more: a directory is not loaded in the
    // middle of a copy. `seen`: its state at the last look.
    bool has_changed(size_t which, SourceState& seen) {
        const ServedSource& source = options_.sources[which];
        try {
            SourceState state;
            with_errors("look at the catalog", [&] { state = state_of(source); });
            watch_problems_[which].clear();
            const bool settled = state == std::exchange(seen, state) || !source.is_directory;
            return settled && state != states_[which];
        } catch (const Error& error) {
            if (stopping_) return false;
            // A registry that is unavailable for some time is reported once.
            if (std::exchange(watch_problems_[which], error.what()) != error.what())
                log_.warning("the image cannot be looked at",
                             {{"catalog", source.name}, {"problem", error.what()}});
            return false;
        }
    }

    // A failure that is not a mistake in the catalog may pass: the next look tries again, and only reports
    // what is new. `asked`: by a user, who is to see it again.
    void reload(size_t which, bool asked) {
        known_problem_ = asked ? std::string() : catalogs_[which]->problem();
        std::string problem;
        bool may_pass = true;
        try {
            load(which);
            return;
        } catch (const Unservable& unservable) {
            problem = unservable.problem;
            may_pass = unservable.status == exit_environment;
        } catch (const Error& error) {
            if (stopping_) return;
            problem = error.what();
            if (problem != known_problem_) session_.print_error(error.what(), error.hint());
        }
        if (may_pass) states_[which] = {};
        catalogs_[which]->report_failure(problem);
        if (problem != known_problem_)
            log_.warning("the catalog could not be reloaded: the earlier version is still served",
                         {{"catalog", catalogs_[which]->name()}});
    }

    const ServingOptions& options_;
    Session& session_;
    Log log_;
    ImageFlags images_;
    serve::ServedCatalogs catalogs_;
    std::vector<SourceState> states_;         // when they were loaded last
    std::vector<std::string> watch_problems_; // why an image could not be checked; empty: it could
    std::vector<SourceState> served_states_;  // when the served version was loaded
    std::vector<std::optional<std::vector<pages::PageFinding>>> findings_; // of images
    std::string known_problem_; // of the catalog that is being loaded; it is not shown again
    serve::Server* server_ = nullptr;
    Control control_;
    std::atomic<bool> stopping_ = false;
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
    } catch (const Unservable& unservable) {
        write_termination_log(options.termination_log, unservable.problem);
        session.exit_status = unservable.status;
    } catch (const Error& error) {
        write_termination_log(options.termination_log, error.what());
        throw;
    }
}

} // namespace opcat
