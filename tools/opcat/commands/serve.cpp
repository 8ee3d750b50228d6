#include "catalog_site.hpp"
#include "command.hpp"
#include "commands.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/go_quote.hpp"
#include "opcat/bundle/bundle_directory.hpp"
#include "opcat/kube/labels.hpp"
#include "outputs.hpp"
#include "serving.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

namespace opcat {
namespace {

namespace fs = std::filesystem;

struct ServeOptions {
    std::vector<std::string> catalogs; // [NAME=]REF
    std::vector<std::string> http;
    std::string port = "50051";
    std::string address;
    std::vector<std::string> grpc; // NAME=ADDRESS
    bool no_grpc = false;
    std::vector<std::string> watch; // "" without a value
    bool check = false;
    std::string export_directory;
    serve::TlsFiles tls;
    unsigned idle = 300;
    unsigned drain = 20;
    ServingOptions serving; // what flags set at once

    // Of opm; most of them are about its cache.
    std::string cache_directory;
    bool cache_only = false;
    bool cache_enforce_integrity = false;
    std::string pprof_address;
    bool pprof_capture = false;
    bool debug = false;
};

std::string default_name(const std::string& reference) {
    std::string path = reference;
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    std::string last = path.substr(path.rfind('/') + 1);
    std::error_code ignored;
    if (last == "." || last == "..") last = fs::weakly_canonical(path, ignored).filename().string();
    last.erase(std::min(last.size(), last.find_first_of("@:")));
    return kube::subdomain_errors(last).empty() ? last : "catalog";
}

// "NAME=REF", or REF; an existing path is used unchanged.
serve::ServedSource parse_source(const std::string& text) {
    std::error_code ignored;
    const size_t equals = text.find('=');
    serve::ServedSource source;
    if (equals != text.npos && !fs::exists(text, ignored)) {
        source.name = text.substr(0, equals);
        source.reference = text.substr(equals + 1);
        if (const auto problems = kube::subdomain_errors(source.name); !problems.empty())
            throw RequestError(fmt::format("{} cannot be the name of a catalog: {}", go_quote(source.name),
                                           problems.front()));
    } else {
        source.name = default_name(text);
        source.reference = text;
    }
    source.is_directory =
        fs::is_directory(source.reference, ignored) && !is_bundle_directory(source.reference);
    return source;
}

std::vector<serve::ServedSource> parse_sources(const ServeOptions& options) {
    std::vector<serve::ServedSource> sources;
    std::set<std::string> names;
    for (const std::string& text : options.catalogs) {
        serve::ServedSource source = parse_source(text);
        if (!names.insert(source.name).second)
            throw RequestError(fmt::format("two catalogs have the name {}", source.name),
                               "give one of them another name: NAME=" + source.reference);
        sources.push_back(std::move(source));
    }
    return sources;
}

std::vector<serve::GrpcPort> parse_grpc(const ServeOptions& options,
                                        const std::vector<serve::ServedSource>& sources) {
    if (options.no_grpc) return {};
    if (options.grpc.empty()) {
        if (sources.size() > 1)
            throw RequestError(
                "gRPC serves one catalog on a port, because its requests do not name one",
                "add --grpc NAME=ADDRESS for the catalogs that gRPC is to serve, or --no-grpc");
        serve::Endpoint endpoint;
        endpoint.host = options.address;
        endpoint.port = options.port;
        return {{endpoint, 0}};
    }
    std::vector<serve::GrpcPort> ports;
    for (const std::string& text : options.grpc) {
        const std::string name = text.substr(0, text.find('='));
        const auto source = std::find_if(sources.begin(), sources.end(),
                                         [&](const serve::ServedSource& s) { return s.name == name; });
        if (name == text || source == sources.end())
            throw RequestError(
                fmt::format("--grpc {} does not name a catalog that is served", go_quote(text)),
                "write NAME=ADDRESS, such as " + sources.front().name + "=:50051");
        ports.push_back({serve::Endpoint::parse(std::string_view(text).substr(name.size() + 1)),
                         static_cast<size_t>(source - sources.begin())});
    }
    return ports;
}

std::optional<std::chrono::seconds> parse_watch(const ServeOptions& options) {
    if (options.watch.empty()) return std::nullopt;
    const std::string& text = options.watch.back();
    if (text.empty()) return std::chrono::seconds(1);
    unsigned seconds = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    constexpr unsigned most = 86'400;
    if (failed != std::errc() || end != text.data() + text.size() || seconds < 1 || seconds > most)
        throw RequestError(fmt::format("--watch takes seconds from 1 to {}, not {}", most, go_quote(text)));
    return std::chrono::seconds(seconds);
}

std::shared_ptr<serve::Tls> parse_tls(const ServeOptions& options) {
    const serve::TlsFiles& files = options.tls;
    if (files.certificate.empty() != files.key.empty())
        throw RequestError("--tls-cert and --tls-key belong together");
    if (files.certificate.empty() && !files.client_ca.empty())
        throw RequestError("--tls-client-ca needs --tls-cert and --tls-key");
    return files.certificate.empty() ? nullptr : std::make_shared<serve::Tls>(files);
}

// Builds of catalog images let opm make a cache, and copy its directory.
void leave_note(const std::string& cache_directory) {
    if (cache_directory.empty()) return;
    make_directories(cache_directory);
    write_file(fs::path(cache_directory) / "opcat",
               "opcat serves this catalog without a cache. Real opm finds none here either.\n");
}

void run(const ServeOptions& options, Session& session) {
    if (options.cache_enforce_integrity && options.cache_directory.empty())
        throw RequestError("--cache-enforce-integrity needs --cache-dir");
    ServingOptions serving = options.serving;
    serving.sources = parse_sources(options);
    std::vector<std::string> sources;
    sources.reserve(serving.sources.size());
    for (const serve::ServedSource& source : serving.sources) sources.push_back(source.reference);
    if (!options.export_directory.empty()) {
        if (serving.server.allow_query)
            throw RequestError("--allow-query needs a server, and --export runs none",
                               "leave one of them out");
        if (options.check || options.cache_only)
            throw RequestError("--check and --cache-only write no pages, and --export does",
                               "leave one of them out");
        require_apart({{"--export", options.export_directory}}, sources);
        export_pages(serving.sources, options.export_directory, serving.images, session);
        return;
    }
    serving.only_check = options.cache_only || options.check;
    serving.shows_check = options.check;
    for (const std::string& text : options.http) serving.server.http.push_back(serve::Endpoint::parse(text));
    if (!options.cache_only) serving.server.grpc = parse_grpc(options, serving.sources);
    if (!options.cache_only && serving.server.http.empty() && serving.server.grpc.empty())
        throw RequestError("there is nothing to serve: --no-grpc needs --http ADDRESS");
    if (serving.server.allow_query && serving.server.http.empty())
        throw RequestError("--allow-query needs --http ADDRESS", "its page is for browsers");
    serving.server.limits.idle = std::chrono::seconds(options.idle);
    constexpr unsigned most_threads = 4;
    serving.server.threads = std::clamp(session.pool().threads(), 1U, most_threads);
    serving.tls = parse_tls(options);
    serving.server.tls = serving.tls;
    serving.watch = parse_watch(options);
    serving.drain = std::chrono::seconds(options.drain);
    if (!session.as_opm()) {
        std::vector<OutputPath> places{{"--termination-log", serving.termination_log, is_plain_text},
                                       {"--cache-dir", options.cache_directory}};
        for (const serve::Endpoint& endpoint : serving.server.http)
            places.push_back({"--http unix:", endpoint.unix_path});
        require_apart(places, sources);
    }
    serve_catalogs(serving, session);
    if (options.cache_only && session.exit_status == exit_ok) leave_note(options.cache_directory);
}

void add_opm_flags(Command command, ServeOptions& options, bool as_opm) {
    const Command opm = command.under("As opm has them");
    opm.add_option("--cache-dir DIR", options.cache_directory,
                   "Accepted; there is no cache, and only --cache-only writes there");
    opm.add_flag("--cache-only", options.cache_only,
                 "Load and check the catalog, make the directory of --cache-dir, and end");
    opm.add_flag("--cache-enforce-integrity", options.cache_enforce_integrity,
                 "Accepted together with --cache-dir; there is no cache");
    std::string& termination_log = options.serving.termination_log;
    if (as_opm) termination_log = "/dev/termination-log";
    opm.add_option("-t,--termination-log FILE", termination_log, "File for the reason if the start fails");
    opm.add_option("--pprof-addr ADDRESS", options.pprof_address,
                   "Accepted without effect: opcat does not listen there");
    opm.add_flag("--pprof-capture-profiles", options.pprof_capture, "Accepted without effect");
    command.add_flag("--debug", options.debug, "Accepted without effect").hide();
}

} // namespace

void add_serve(Command tree, Session& session) {
    const auto options = std::make_shared<ServeOptions>();
    ServingOptions& serving = options->serving;
    const Command command = tree.add_command(
        "serve", "Serve catalogs: over gRPC for OLM classic, and over HTTP as OLM v1's catalogd does");
    command
        .add_option("CATALOG", options->catalogs,
                    "A catalog directory, an image, oci:DIR[:TAG] or another reference; NAME=REF names the "
                    "catalog")
        .required();
    command.add_option("-p,--port PORT", options->port, "Port of gRPC").show_default();
    command.add_option("--address HOST", options->address, "Address of --port (default: all interfaces)");
    command.add_option(
        "--grpc NAME=ADDRESS", options->grpc,
        "Instead of --port: serve one of several catalogs by gRPC on [HOST]:PORT or unix:PATH");
    command.add_flag("--no-grpc", options->no_grpc, "Do not serve gRPC");
    command.add_option("--http ADDRESS", options->http, "Serve catalogd's HTTP on [HOST]:PORT or unix:PATH");
    command
        .add_option("--watch [SECONDS]", options->watch,
                    "Reload a catalog when its files change, or when its tag names another image; checked "
                    "every second, "
                    "or every SECONDS")
        .optional_value();
    command.add_flag("--no-metas{false}", serving.server.metas,
                     "Do not answer queries for single blobs over HTTP");
    const Option no_web = command.add_flag("--no-web{false}", serving.web, "Serve no pages for browsers");
    command
        .add_flag("--allow-query", serving.server.allow_query,
                  "Answer SQL on a page of each catalog: it only reads, one query at a time, within limits")
        .excludes(no_web);
    command.add_option("--export DIR", options->export_directory,
                       "Serve nothing: write the pages for browsers to a directory, for any web server");
    command.add_flag("--no-metrics{false}", serving.server.health_paths,
                     "Do not answer /healthz, /readyz and /metrics");
    command.add_flag("--check", options->check,
                     "Load the catalogs, print what would be served and the memory that it takes, and end");
    command.add_flag("--log-requests", serving.log_requests, "Log each request but those about health");
    command.add_choice("--log", serving.log,
                       {{"text", LogFormat::text}, {"json", LogFormat::json}, {"none", LogFormat::none}},
                       "Events on standard error: text, json or none");
    const Command tls = command.under("TLS");
    tls.add_option("--tls-cert FILE", options->tls.certificate,
                   "Certificate of the server, PEM, with its intermediate CAs; all listeners then speak TLS");
    tls.add_option("--tls-key FILE", options->tls.key, "Key of the certificate, PEM");
    tls.add_option("--tls-client-ca FILE", options->tls.client_ca,
                   "CAs of clients, PEM: clients then need a certificate");
    const Command limits = command.under("Limits");
    limits
        .add_option("--max-connections", serving.server.limits.connections,
                    "Connections that ask for more than health and metrics; who needs one of others' places "
                    "may get it")
        .between(1, 1'000'000)
        .show_default();
    limits.add_option("--max-streams", serving.server.limits.streams, "Concurrent calls on a gRPC connection")
        .between(1, 100'000)
        .show_default();
    limits.add_option("--idle", options->idle, "Seconds until an inactive connection is closed")
        .between(1, 86'400)
        .show_default();
    limits.add_option("--drain", options->drain, "Seconds that running answers have after a signal to end")
        .between(0, 3600)
        .show_default();
    add_opm_flags(command, *options, session.as_opm());
    add_image_flags(command, serving.images);
    const std::string name = session.as_opm() ? "opm" : "opcat";
    command.footer(fmt::format(
        "Examples:\n"
        "  {0} serve catalog/\n"
        "  {0} serve catalog/ --port 50051 --http :8080 --watch\n"
        "  {0} serve stable=catalogs/v4.20 next=catalogs/v4.21 --no-grpc --http localhost:8080\n"
        "  {0} serve catalog/ --export public/\n\n"
        "Over HTTP, / shows the catalogs in a browser; for programs each catalog is at "
        "/catalogs/NAME/api/v1/all and "
        "/catalogs/NAME/api/v1/metas. SIGHUP reloads all of them; SIGTERM and SIGINT end the server.",
        name));
    command.callback([options, &session] {
        session.options.json_log = options->serving.log == LogFormat::json;
        run(*options, session);
    });
}

} // namespace opcat
