// The server: its threads, its endpoints, and its answers.
#pragma once

#include "opcat/serve/endpoint.hpp"
#include "opcat/serve/limits.hpp"
#include "opcat/serve/metrics.hpp"
#include "opcat/serve/served_catalog.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace opcat::serve {

// A port for calls about one catalog: requests of gRPC do not name a catalog.
struct GrpcPort {
    Endpoint endpoint;
    size_t catalog = 0; // its index in the server's catalogs
};

class Tls; // tls.hpp

struct ServerOptions {
    std::vector<Endpoint> http = {};
    std::vector<GrpcPort> grpc = {};
    bool metas = true;               // of catalogd's two endpoints, the one that answers queries
    bool health_paths = true;        // /healthz, /readyz and /metrics
    bool allow_query = false;        // one of the pages answers statements of SQL
    RequestObserver on_request = {}; // may be empty
    // Called on the threads that answer, when a browser first requests pages: adds those of the catalogs that
    // want them. Empty: there are no pages.
    std::function<void()> make_pages = {};
    Limits limits = {};
    unsigned threads = 1;
    std::shared_ptr<const Tls> tls = {}; // null: connections are plain
};

class Server {
public:
    // Listens at once. `catalogs` outlive the server. Throws Error.
    Server(const ServerOptions& options, const ServedCatalogs& catalogs);
    // Ends without waiting.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Where it listens, with free port numbers in place of 0.
    const std::vector<Endpoint>& http() const;
    const std::vector<GrpcPort>& grpc() const;

    // To be called when a catalog has been published; `replaced`: in the place of an earlier version.
    void catalogs_changed(bool replaced);

    // Accepts no more connections, and waits until answers in progress have been sent, or the time is over.
    void drain(std::chrono::milliseconds longest);

private:
    class Worker;
    struct Shared;

    std::unique_ptr<Shared> shared_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

} // namespace opcat::serve
