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
    listeners_.clear();
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
    // The process has no descriptors left. evhttp has put its own data in place of ours, so that only this
    // port is known here: sweep() opens it again.
    core.evconnlistener_set_error_cb(
        listener, [](evconnlistener* port, void*) { libevent().evconnlistener_disable(port); });
    listeners_.push_back(listener);
    sweep_timer_.start();
}

void HttpListener::begin_drain() {
    draining_ = true;
    accept_more(false);
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
    OwnedConnection made(listener.tls_ ? listener.tls_->accept(base, -1, Protocol::http)
                                       : core.bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE));
    try {
        if (made) listener.connections_.push_back(made.get());
    } catch (const std::bad_alloc&) {
        made.reset();
    }
    if (!made) return nullptr; // on_request() has to do with what evhttp makes instead
    bufferevent* const connection = made.release();
    core.bufferevent_set_max_single_write(connection, single_write);
    core.bufferevent_incref(connection);
    listener.metrics_.connection_opened();
    if (listener.is_full()) listener.accept_more(false);
    return connection;
}

bool HttpListener::is_full() const {
    return metrics_.open_connections() >= limits_.connections;
}

void HttpListener::accept_more(bool more) {
    for (evconnlistener* const listener : listeners_)
        more ? libevent().evconnlistener_enable(listener) : libevent().evconnlistener_disable(listener);
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
    // A port that the system has refused to watch is closed now, and opened by the next sweep.
    const bool refused = std::exchange(refusals_, EventLoop::refusals()) != EventLoop::refusals();
    accept_more(!draining_ && !is_full() && !refused); // which mostly changes nothing
}

void HttpListener::on_request(evhttp_request* request, void* self) {
    auto& listener = *static_cast<HttpListener*>(self);
    const EventHttp& http = libevent_http();
    // If there was not enough memory for TLS, evhttp has made a plain connection instead, without the
    // client's certificate.
    if (listener.tls_ &&
        !Tls::protects(http.evhttp_connection_get_bufferevent(http.evhttp_request_get_connection(request))))
        return http.evhttp_send_reply(request, 500, nullptr, nullptr);
    listener.answer(request);
}

// Nothing may be thrown through C code.
void HttpListener::answer(evhttp_request* request) {
    try {
        answer_or_wait(request);
    } catch (const std::exception&) { // not even a little memory is left
        libevent_http().evhttp_send_reply(request, 500, nullptr, nullptr);
    }
}

void HttpListener::answer_or_wait(evhttp_request* request) {
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

// Nothing of the answer is sent if there is not enough memory for all of it: evhttp would say that the part
// is the whole.
void HttpListener::send(evhttp_request* request, HttpAnswer answer) {
    const EventHttp& http = libevent_http();
    const std::unique_ptr<evbuffer, void (*)(evbuffer*)> body(libevent().evbuffer_new(),
                                                              libevent().evbuffer_free);
    if (!body) throw std::bad_alloc();
    const int status = answer.status;
    const auto sent = std::make_shared<const SentAnswer>(std::move(answer), unsent_answers_);
    uint64_t bytes = 0;
    for (const std::string_view piece : sent->answer.body) {
        add_shared(body.get(), piece, sent);
        bytes += piece.size();
    }
    evkeyvalq* const headers = http.evhttp_request_get_output_headers(request);
    for (const auto& [name, value] : sent->answer.headers)
        http.evhttp_add_header(headers, name.c_str(), value.c_str());
    if (draining_) http.evhttp_add_header(headers, "Connection", "close");
    metrics_.add_bytes_sent(bytes);
    http.evhttp_send_reply(request, status, nullptr, body.get());
}

} // namespace opcat::serve
