// HTTP/1.1 connections of one thread.
#pragma once

#include "opcat/serve/budget.hpp"
#include "opcat/serve/connections.hpp"
#include "opcat/serve/endpoint.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/http_answers.hpp"
#include "opcat/serve/limits.hpp"
#include "opcat/serve/metrics.hpp"

#include <functional>
#include <optional>

namespace opcat::serve {

struct HttpHandler {
    // Called on the listener's thread. Nothing: the request waits until catalogs have changed.
    std::function<std::optional<HttpAnswer>(const HttpRequest&)> answer;
    // Returns true for a request about health or metrics: it needs no place, and its answer no time.
    std::function<bool(const HttpRequest&)> is_about_health;
};

class HttpListener {
public:
    HttpListener(EventLoop& loop, HttpHandler handler, const Limits& limits, Metrics& metrics, Places& places,
                 Budget& budget, const Tls* tls);
    ~HttpListener();
    HttpListener(const HttpListener&) = delete;
    HttpListener& operator=(const HttpListener&) = delete;

    void listen(Socket socket);
    // To be called when a catalog was loaded; `replaced`: another version of it was served before.
    void catalogs_changed(bool replaced);
    // From now on no connections are accepted, and each answer is the last one of its connection.
    void begin_drain();
    // Returns true if there are answers that clients have not received.
    bool is_busy() const;

private:
    class Connection;

    void tick();

    EventLoop& loop_;
    HttpHandler handler_;
    Limits limits_;
    Metrics& metrics_;
    Places& places_;
    Budget& budget_;
    const Tls* tls_; // nullptr: connections are plain
    Connections<Connection> connections_;
    Timer timer_;
    bool draining_ = false;
};

} // namespace opcat::serve
