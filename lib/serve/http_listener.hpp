// HTTP/1.1 connections of one thread.
#pragma once

#include "opcat/serve/endpoint.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/http_answers.hpp"
#include "opcat/serve/limits.hpp"
#include "opcat/serve/metrics.hpp"
#include "opcat/serve/tls.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace opcat::serve {

// Called on the listener's thread. Nothing: the request waits until catalogs have changed.
using HttpHandler = std::function<std::optional<HttpAnswer>(const HttpRequest&)>;

class HttpListener {
public:
    HttpListener(EventLoop& loop, HttpHandler handler, const Limits& limits, Metrics& metrics,
                 const Tls* tls);
    ~HttpListener();
    HttpListener(const HttpListener&) = delete;
    HttpListener& operator=(const HttpListener&) = delete;

    void listen(Socket socket);
    // To be called when a catalog was loaded.
    void catalogs_changed();
    // From now on no connections are accepted, and each answer is the last one of its connection.
    void begin_drain();
    // Whether there are answers that clients have not received.
    bool is_busy() const { return *unsent_answers_ > 0; }

private:
    static bufferevent* make_connection(event_base* base, void* self);
    static void on_request(evhttp_request* request, void* self);
    void answer(evhttp_request* request);
    void answer_or_wait(evhttp_request* request);
    void send(evhttp_request* request, HttpAnswer answer);
    // Frees the connections that evhttp has closed, and accepts others in their place.
    void sweep();
    bool is_full() const;
    void accept_more(bool more);

    EventLoop& loop_;
    HttpHandler handler_;
    Limits limits_;
    Metrics& metrics_;
    const Tls* tls_; // nullptr: connections are plain
    evhttp* server_;
    std::vector<evconnlistener*> listeners_; // which belong to the server
    std::vector<bufferevent*> connections_;
    std::vector<evhttp_request*> waiting_;
    Timer sweep_timer_;
    bool draining_ = false;
    size_t refusals_ = 0; // until the last sweep
    // Answers may live a moment longer than the listener.
    std::shared_ptr<size_t> unsent_answers_ = std::make_shared<size_t>(0);
};

} // namespace opcat::serve
