// gRPC over HTTP/2: the connections of one thread.
#pragma once

#include "opcat/serve/endpoint.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/grpc_service.hpp"
#include "opcat/serve/limits.hpp"
#include "opcat/serve/metrics.hpp"
#include "opcat/serve/served_catalog.hpp"
#include "opcat/serve/tls.hpp"

#include <chrono>
#include <memory>
#include <unordered_set>
#include <vector>

namespace opcat::serve {

class GrpcListener {
public:
    GrpcListener(EventLoop& loop, const Limits& limits, Metrics& metrics, const Tls* tls);
    ~GrpcListener();
    GrpcListener(const GrpcListener&) = delete;
    GrpcListener& operator=(const GrpcListener&) = delete;

    // Calls on connections to the socket refer to `catalog`, which outlives the listener.
    void listen(Socket socket, const ServedCatalog& catalog);
    // To be called when a catalog was loaded: calls that wait for it continue, and watches are notified.
    void catalogs_changed();
    // From now on no connections are accepted, and existing ones accept no more calls.
    void begin_drain();
    // Whether there are unanswered calls, or answers that have not been sent.
    bool is_busy() const;

private:
    class Connection;

    struct Port {
        GrpcListener* listener;
        const ServedCatalog* catalog;
        evconnlistener* accepting;
    };
    static void on_accept(evconnlistener*, evutil_socket_t socket, sockaddr*, int, void* port);
    void remove(Connection* connection);
    void pause(bool paused);
    void tick();
    template <class Action>
    void for_each_connection(const Action& action);

    EventLoop& loop_;
    Limits limits_;
    Metrics& metrics_;
    const Tls* tls_; // nullptr: connections are plain
    nghttp2_session_callbacks* callbacks_ = nullptr;
    nghttp2_option* session_options_ = nullptr;
    std::vector<std::unique_ptr<Port>> ports_;
    std::unordered_set<Connection*> connections_;
    Timer timer_; // deadlines of calls, and the end of a pause
    bool paused_ = false;
    size_t refusals_ = 0; // until the last tick
    bool draining_ = false;
};

} // namespace opcat::serve
