// gRPC over HTTP/2: the connections of one thread.
#pragma once

#include "opcat/serve/budget.hpp"
#include "opcat/serve/connections.hpp"
#include "opcat/serve/endpoint.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/grpc_service.hpp"
#include "opcat/serve/limits.hpp"
#include "opcat/serve/metrics.hpp"
#include "opcat/serve/served_catalog.hpp"

#include <string>

namespace opcat::serve {

class GrpcListener {
public:
    GrpcListener(EventLoop& loop, const Limits& limits, Metrics& metrics, Places& places, Budget& budget,
                 const Tls* tls);
    ~GrpcListener();
    GrpcListener(const GrpcListener&) = delete;
    GrpcListener& operator=(const GrpcListener&) = delete;

    // Calls on connections to the socket refer to `catalog`, which outlives the listener.
    void listen(Socket socket, const ServedCatalog& catalog);
    // To be called when a catalog was loaded: calls that wait for it continue, and watches are notified.
    // `replaced`: another version of it was served before.
    void catalogs_changed(bool replaced);
    // From now on no connections are accepted, and existing ones accept no more calls.
    void begin_drain();
    // Returns true if there are unanswered calls, or answers that have not been sent.
    bool is_busy() const;

private:
    class Connection;

    void accept(Socket socket, const std::string& client, const ServedCatalog& catalog);
    void tick();

    EventLoop& loop_;
    Limits limits_;
    Metrics& metrics_;
    Places& places_;
    Budget& budget_;
    nghttp2_session_callbacks* callbacks_ = nullptr;
    nghttp2_option* session_options_ = nullptr;
    Connections<Connection> connections_;
    Timer timer_; // deadlines
    bool draining_ = false;
};

} // namespace opcat::serve
