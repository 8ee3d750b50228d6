#include "serving.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/lint/lint.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

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

    using Values = std::vector<std::pair<std::string_view, std::string>>;

    void info(std::string_view message, const Values& values = {}) const {
        if (!session_.options.quiet) write("info", message, values);
    }
    void warning(std::string_view message, const Values& values = {}) const {
        write("warning", message, values);
    }

private:
    void write(std::string_view level, std::string_view message, const Values& values) const {
        if (format_ == LogFormat::none) return;
        const std::string time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
        if (format_ == LogFormat::json) {
            nlohmann::ordered_json line = {{"time", time}, {"level", level}, {"msg", message}};
            for (const auto& [name, value] : values) line[std::string(name)] = value;
            session_.print(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
            return;
        }
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

// What signals, and the passing of time, ask the serving thread to do.
class Control {
public:
    enum class Wish : uint8_t { none, reload, stop };

    void ask_for(Wish wish) {
        {
            const std::lock_guard lock(mutex_);
            wish_ = std::max(wish_, wish);
        }
        changed_.notify_one();
    }
    // The most urgent wish; none when the time is over.
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

// A catalog with mistakes, all of which have been shown.
struct Unservable {
    std::string problem; // the findings as text
};

class Serving {
public:
    Serving(const ServingOptions& options, Session& session)
        : options_(options), session_(session), log_(options.log, session) {
        for (const ServedSource& source : options.sources)
            catalogs_.push_back(std::make_unique<serve::ServedCatalog>(source.name));
        states_.resize(options.sources.size());
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
        serve::Server server(options_.server, catalogs_);
        server_ = &server;
        for (const serve::Endpoint& endpoint : server.http())
            log_.info("listening", {{"protocol", "http"}, {"address", endpoint.to_text()}});
        for (const serve::GrpcPort& port : server.grpc())
            log_.info("listening", {{"protocol", "grpc"}, {"address", port.endpoint.to_text()}});
        try {
            for (size_t i = 0; i < catalogs_.size() && !stopping_; ++i) load(i);
        } catch (...) {
            server.drain(std::chrono::milliseconds(200)); // calls that wait learn of it
            throw;
        }
        compress_large_ones();
        wait_for_wishes();
        log_.info("ending");
        server.drain(options_.drain);
    }

    void check() {
        for (size_t i = 0; i < catalogs_.size(); ++i) load(i);
    }

private:
    bool has_grpc(size_t which) const {
        const auto& ports = options_.server.grpc;
        return std::any_of(ports.begin(), ports.end(),
                           [&](const serve::GrpcPort& port) { return port.catalog == which; });
    }

    // Throws Unservable, or Error for what cannot be reached.
    void load(size_t which) {
        const ServedSource& source = options_.sources[which];
        const auto begin = Clock::now();
        // Before its files are read: what changes meanwhile is noticed later.
        if (source.is_directory) states_[which] = serve::tree_state(source.reference);
        const bool wants_registry = has_grpc(which) || options_.only_check;
        LoadedCatalog loaded = load_source(source, !wants_registry && !wants_pages());
        ThreadPool& pool = session_.pool();
        // catalogd serves what only has names; the pages show what can be read of it.
        std::optional<LoadedCatalog> readable;
        if (!wants_registry && wants_pages() && has_errors(loaded.diagnostics))
            readable = std::exchange(loaded, load_source(source, true));
        Diagnostics errors = wants_registry ? find_errors(loaded, pool) : loaded.diagnostics;
        if (wants_registry && errors.empty()) errors = serve::find_serving_errors(loaded.catalog);
        if (has_errors(errors)) refuse(errors);

        auto snapshot = std::make_shared<serve::Snapshot>();
        if (!options_.server.http.empty()) {
            const std::time_t changed = source.is_directory ? states_[which].newest : std::time(nullptr);
            snapshot->document = std::make_shared<serve::CatalogDocument>(loaded.catalog, changed, pool);
            snapshot->packages = snapshot->document->count(schema::package);
            snapshot->bundles = snapshot->document->count(schema::bundle);
            constexpr size_t small = size_t{1} << 20;
            if (snapshot->document->text().size() <= small) snapshot->document->compress(pool);
        }
        if (wants_registry) {
            snapshot->registry = serve::RegistrySnapshot::make(loaded.catalog, pool);
            snapshot->packages = snapshot->registry->packages();
            snapshot->bundles = snapshot->registry->bundles();
        }
        if (!wants_pages()) loaded = {};
        const std::chrono::duration<double> took = Clock::now() - begin;
        catalogs_[which]->publish(snapshot, took.count());
        if (server_) server_->catalogs_changed();
        log_.info("serving catalog", {{"catalog", source.name},
                                      {"packages", std::to_string(snapshot->packages)},
                                      {"bundles", std::to_string(snapshot->bundles)},
                                      {"seconds", fmt::format("{:.3f}", took.count())}});
        if (wants_pages() && server_)
            publish_pages(which, readable ? *std::move(readable) : std::move(loaded), *snapshot);
        snapshot.reset();
        ::malloc_trim(0); // what loading took and serving does not need
    }

    bool wants_pages() const { return options_.server.web && !options_.server.http.empty(); }

    // Programs do not wait for what people look at.
    void publish_pages(size_t which, LoadedCatalog loaded, const serve::Snapshot& served) {
        auto snapshot = std::make_shared<serve::Snapshot>(served);
        snapshot->pages =
            make_pages(options_.sources[which], std::move(loaded), pages::Use::server, session_.pool());
        catalogs_[which]->add_pages(std::move(snapshot));
        server_->catalogs_changed();
    }

    LoadedCatalog load_source(const ServedSource& source, bool names_only) {
        return opcat::load_source(source, names_only, options_.images, session_);
    }

    [[noreturn]] void refuse(const Diagnostics& errors) {
        print_findings(errors, session_);
        std::string problem;
        for (const Diagnostic& finding : errors) problem += to_text(finding, {});
        throw Unservable{problem};
    }

    // Until then their plain text is sent.
    void compress_large_ones() {
        for (const auto& catalog : catalogs_) {
            const auto snapshot = catalog->snapshot();
            if (snapshot && snapshot->document && !snapshot->document->is_compressed())
                snapshot->document->compress(session_.pool());
        }
    }

    void wait_for_wishes() {
        std::vector<serve::TreeState> seen = states_;
        while (true) {
            const Control::Wish wish = control_.wait(look_interval());
            if (wish == Control::Wish::stop) return;
            reload_certificates();
            if (wish == Control::Wish::none && !options_.watch) continue;
            for (size_t i = 0; i < catalogs_.size(); ++i) {
                if (wish != Control::Wish::reload && !has_changed(i, seen[i])) continue;
                reload(i);
                seen[i] = states_[i];
            }
            compress_large_ones();
        }
    }

    // How long to wait for a wish before there is something to look at.
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

    // Since it was loaded, and then no more: it is not loaded amid a copy. `seen`: as it was at the last
    // look.
    bool has_changed(size_t which, serve::TreeState& seen) const {
        const ServedSource& source = options_.sources[which];
        if (!source.is_directory) return false;
        const serve::TreeState state = serve::tree_state(source.reference);
        const bool settled = state == std::exchange(seen, state);
        return settled && state != states_[which];
    }

    void reload(size_t which) {
        std::string problem;
        try {
            load(which);
            return;
        } catch (const Unservable& unservable) {
            problem = unservable.problem;
        } catch (const Error& error) {
            problem = error.what();
            session_.print_error(error.what(), error.hint());
        }
        catalogs_[which]->report_failure(problem);
        log_.warning("the catalog could not be loaded anew: the version before it is served",
                     {{"catalog", catalogs_[which]->name()}});
    }

    const ServingOptions& options_;
    Session& session_;
    Log log_;
    serve::ServedCatalogs catalogs_;
    std::vector<serve::TreeState> states_; // of the directories, when they were loaded last
    serve::Server* server_ = nullptr;
    Control control_;
    std::atomic<bool> stopping_ = false;
};

// Where Kubernetes shows why a container ended. The file is there before, mounted, so it is written in place.
void write_termination_log(const std::string& path, const std::string& reason) {
    if (path.empty()) return;
    std::ofstream(path) << reason;
}

} // namespace

void serve_catalogs(const ServingOptions& options, Session& session) {
    try {
        Serving serving(options, session);
        if (options.only_check)
            serving.check();
        else
            serving.run();
    } catch (const Unservable& unservable) {
        write_termination_log(options.termination_log, unservable.problem);
        session.exit_status = exit_findings;
    } catch (const Error& error) {
        write_termination_log(options.termination_log, error.what());
        throw;
    }
}

} // namespace opcat
