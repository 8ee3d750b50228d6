#include "opcat/serve/http_listener.hpp"

#include "opcat/base/error.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

namespace opcat::serve {
namespace {

// How soon a place becomes free again that a closed connection had.
constexpr std::chrono::milliseconds sweep_interval{50};
// Bytes for one system call: libevent's own choice is 16 KiB.
constexpr size_t single_write = size_t{1} << 20;

std::string_view method_of(evhttp_request* request) {
    switch (libevent_http().evhttp_request_get_command(request)) {
    case EVHTTP_REQ_GET:
        return "GET";
    case EVHTTP_REQ_HEAD:
        return "HEAD";
    case EVHTTP_REQ_POST:
        return "POST";
    case EVHTTP_REQ_PUT:
        return "PUT";
    case EVHTTP_REQ_DELETE:
        return "DELETE";
    case EVHTTP_REQ_OPTIONS:
        return "OPTIONS";
    case EVHTTP_REQ_PATCH:
        return "PATCH";
    default:
        return "other";
    }
}

// Owns what an answer refers to, and counts it as long as some of it is not sent.
struct SentAnswer {
    SentAnswer(HttpAnswer sent, std::shared_ptr<size_t> count)
        : answer(std::move(sent)), unsent(std::move(count)) {
        ++*unsent;
    }
    ~SentAnswer() { --*unsent; }
    SentAnswer(const SentAnswer&) = delete;
    SentAnswer& operator=(const SentAnswer&) = delete;

    HttpAnswer answer;
    std::shared_ptr<size_t> unsent;
};

} // namespace

HttpListener::HttpListener(EventLoop& loop, HttpHandler handler, const Limits& limits, Metrics& metrics,
                           const Tls* tls)
    : loop_(loop), handler_(std::move(handler)), limits_(limits), metrics_(metrics), tls_(tls),
      server_(libevent_http().evhttp_new(loop.base())),
      sweep_timer_(loop, sweep_interval, [this] { sweep(); }) {
    if (!server_) throw std::bad_alloc();
    const EventHttp& http = libevent_http();
    constexpr ev_uint16_t every_method =
        0xffff; // those that it does not know, too: they are answered with 405
    http.evhttp_set_allowed_methods(server_, every_method);
    http.evhttp_set_default_content_type(server_, nullptr);
    http.evhttp_set_max_headers_size(server_, static_cast<ev_ssize_t>(limits.header_bytes));
    http.evhttp_set_max_body_size(server_, static_cast<ev_ssize_t>(limits.http_body_bytes));
    http.evhttp_set_timeout(server_, static_cast<int>(limits.idle.count()));
    http.evhttp_set_bevcb(server_, &HttpListener::make_connection, this);
    http.evhttp_set_gencb(server_, &HttpListener::on_request, this);
}

HttpListener::~HttpListener() {
    libevent_http().evhttp_free(server_);
    sweep();
}

void HttpListener::listen(Socket socket) {
    const EventCore& core = libevent();
    evconnlistener* const listener = core.evconnlistener_new(
        loop_.base(), nullptr, nullptr, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, socket.get());
    if (!listener) throw std::bad_alloc();
    socket.release();
    if (!libevent_http().evhttp_bind_listener(server_, listener)) {
        core.evconnlistener_free(listener);
        throw std::bad_alloc();
    }
    // The process has no descriptors left: as if there were too many connections.
    core.evconnlistener_set_error_cb(
        listener, [](evconnlistener*, void* self) { static_cast<HttpListener*>(self)->pause(true); });
    listeners_.push_back(listener);
}

void HttpListener::begin_drain() {
    draining_ = true;
    pause(true);
    catalogs_changed();
}

// A request stays until it is answered, also when its connection has gone.
void HttpListener::catalogs_changed() {
    for (evhttp_request* const request : std::exchange(waiting_, {})) answer(request);
}

// evhttp asks for each new connection, but does not report when it has closed one. A connection is kept here
// a little longer, and freed after evhttp has released it: then its callbacks are gone.
bufferevent* HttpListener::make_connection(event_base* base, void* self) {
    auto& listener = *static_cast<HttpListener*>(self);
    const EventCore& core = libevent();
    bufferevent* const connection = listener.tls_
                                        ? listener.tls_->accept(base, -1, Protocol::http)
                                        : core.bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (!connection) return nullptr;
    core.bufferevent_set_max_single_write(connection, single_write);
    core.bufferevent_incref(connection);
    listener.sweep_timer_.start();
    listener.connections_.push_back(connection);
    listener.metrics_.connection_opened();
    if (listener.is_full()) listener.pause(true);
    return connection;
}

bool HttpListener::is_full() const {
    return metrics_.open_connections() >= limits_.connections;
}

void HttpListener::pause(bool paused) {
    if (paused == paused_) return;
    paused_ = paused;
    if (paused) sweep_timer_.start(); // which ends the pause
    for (evconnlistener* const listener : listeners_)
        paused ? libevent().evconnlistener_disable(listener) : libevent().evconnlistener_enable(listener);
}

void HttpListener::sweep() {
    std::erase_if(connections_, [&](bufferevent* connection) {
        bufferevent_data_cb read = nullptr;
        bufferevent_event_cb event = nullptr;
        libevent().bufferevent_getcb(connection, &read, nullptr, &event, nullptr);
        if (read || event) return false;
        libevent().bufferevent_decref(connection);
        metrics_.connection_closed();
        return true;
    });
    if (!draining_ && !is_full()) pause(false);
    if (connections_.empty() && !paused_) sweep_timer_.stop();
}

void HttpListener::on_request(evhttp_request* request, void* self) {
    static_cast<HttpListener*>(self)->answer(request);
}

// Nothing may be thrown through C code.
void HttpListener::answer(evhttp_request* request) {
    const auto begin = std::chrono::steady_clock::now();
    const EventHttp& http = libevent_http();
    const evkeyvalq* const headers = http.evhttp_request_get_input_headers(request);
    const char* const target = http.evhttp_request_get_uri(request);
    const HttpRequest asked{.method = method_of(request),
                            .target = target ? target : "",
                            .header = [&](const char* name) -> std::string_view {
                                const char* const value = http.evhttp_find_header(headers, name);
                                return value ? value : "";
                            }};
    std::optional<HttpAnswer> answer;
    try {
        answer = handler_(asked);
    } catch (const std::exception&) { // out of memory
        answer = text_answer(500, "500 Internal Server Error");
    }
    if (!answer && !draining_) {
        waiting_.push_back(request);
        return;
    }
    if (!answer) answer = text_answer(503, "the server ends");
    metrics_.count_request({.protocol = Protocol::http,
                            .method = asked.method,
                            .code = std::to_string(answer->status),
                            .target = asked.target,
                            .took = std::chrono::steady_clock::now() - begin});
    send(request, *std::move(answer));
}

void HttpListener::send(evhttp_request* request, HttpAnswer answer) {
    const EventHttp& http = libevent_http();
    evkeyvalq* const headers = http.evhttp_request_get_output_headers(request);
    for (const auto& [name, value] : answer.headers)
        http.evhttp_add_header(headers, name.c_str(), value.c_str());
    if (draining_) http.evhttp_add_header(headers, "Connection", "close");
    evbuffer* const body = libevent().evbuffer_new();
    const int status = answer.status;
    const auto sent = std::make_shared<const SentAnswer>(std::move(answer), unsent_answers_);
    uint64_t bytes = 0;
    for (const std::string_view piece : sent->answer.body) {
        add_shared(body, piece, sent);
        bytes += piece.size();
    }
    metrics_.add_bytes_sent(bytes);
    http.evhttp_send_reply(request, status, nullptr, body);
    libevent().evbuffer_free(body);
}

} // namespace opcat::serve
