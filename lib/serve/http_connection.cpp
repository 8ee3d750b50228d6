#include "opcat/serve/http_connection.hpp"

#include "opcat/serve/http_fields.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

// The time that a client has for the end of an answer after which the connection is closed.
constexpr std::chrono::seconds linger{1};

std::string_view known_method(std::string_view method) {
    for (const std::string_view known : {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
        if (method == known) return known;
    return "other";
}

std::string_view reason_of(int status) {
    switch (status) {
    case 200:
        return "OK";
    case 206:
        return "Partial Content";
    case 304:
        return "Not Modified";
    case 307:
        return "Temporary Redirect";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 412:
        return "Precondition Failed";
    case 413:
        return "Content Too Large";
    case 416:
        return "Range Not Satisfiable";
    case 500:
        return "Internal Server Error";
    case 503:
        return "Service Unavailable";
    case 505:
        return "HTTP Version Not Supported";
    default:
        return "";
    }
}

} // namespace

HttpListener::Connection::Connection(HttpListener& listener, OwnedConnection transport,
                                     std::unique_ptr<Places::Place> place)
    : listener_(listener), transport_(std::move(transport)), place_(std::move(place)),
      reader_(listener.limits_), outbox_(transport_.get(), listener.budget_), share_(listener.budget_) {
    const EventCore& core = libevent();
    core.bufferevent_setcb(
        transport_.get(), [](bufferevent*, void* self) { static_cast<Connection*>(self)->read(); },
        [](bufferevent*, void* self) { static_cast<Connection*>(self)->write(); },
        [](bufferevent*, short what, void* self) { static_cast<Connection*>(self)->on_event(what); }, this);
    // No more is read than one call can take.
    core.bufferevent_setwatermark(transport_.get(), EV_READ, 0, listener.limits_.header_bytes);
    core.bufferevent_enable(transport_.get(), EV_READ | EV_WRITE);
    listener_.metrics_.connection_opened();
}

HttpListener::Connection::~Connection() {
    listener_.metrics_.connection_closed();
}

void HttpListener::Connection::on_event(short what) {
    if ((what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) != 0) close();
}

void HttpListener::Connection::read() {
    evbuffer* const input = libevent().bufferevent_get_input(transport_.get());
    try {
        while (const size_t size = libevent().evbuffer_get_contiguous_space(input)) {
            if (state_ == State::ends) {
                libevent().evbuffer_drain(input, size);
                continue;
            }
            if (state_ != State::reads) break;
            if (reader_.is_empty() && has_asked_) since_ = Clock::now();
            const auto* const bytes = reinterpret_cast<const char*>(
                libevent().evbuffer_pullup(input, static_cast<ev_ssize_t>(size)));
            libevent().evbuffer_drain(input, reader_.add({bytes, size}));
            if (reader_.state() == HttpRequestReader::State::body && !std::exchange(in_body_, true))
                since_ = Clock::now();
            if (reader_.state() == HttpRequestReader::State::refused) {
                const std::string problem = fmt::format("{} {}: {}", reader_.status(),
                                                        reason_of(reader_.status()), reader_.problem());
                asked_ = Clock::now();
                return send(text_answer(reader_.status(), problem));
            }
            if (reader_.state() != HttpRequestReader::State::complete) continue;
            // Until there is an answer, nothing else is read.
            state_ = State::queued;
            asked_ = Clock::now();
            place_->set_used(true);
            libevent().bufferevent_disable(transport_.get(), EV_READ);
            const auto connection = shared_from_this(); // answer() may remove it
            if (listener_.handler_.is_about_health(
                    {.method = reader_.method(), .target = reader_.target(), .header = {}}))
                return answer();
            if (!place_->settle()) {
                HttpAnswer full = text_answer(503, "503 Service Unavailable: there is no free place");
                full.headers.emplace_back("Retry-After", "1");
                reader_.refuse_more();
                return send(std::move(full));
            }
            return listener_.loop_.run_in_turn([weak = weak_from_this()] {
                if (const auto asking = weak.lock()) asking->answer();
            });
        }
    } catch (const std::exception&) { // not even a little memory is left
        close();
    }
}

// Nothing may be thrown through C code, nor out of the loop.
void HttpListener::Connection::answer() {
    const auto connection = shared_from_this();
    try {
        std::optional<HttpAnswer> answer;
        const HttpRequest asked{.method = known_method(reader_.method()),
                                .target = reader_.target(),
                                .header = [this](const char* name) { return reader_.header(name); }};
        try {
            answer = listener_.handler_.answer(asked);
        } catch (const std::exception&) { // out of memory
            answer = text_answer(500, "500 Internal Server Error");
        }
        if (!answer && !listener_.draining_) {
            state_ = State::waits;
            return;
        }
        if (!answer) answer = text_answer(503, "the server ends");
        // Memory that only this client holds. Health and metrics are small, and answered in any case.
        if (!listener_.handler_.is_about_health(asked) && !share_.resize(answer->own_bytes())) {
            listener_.places_.evict_user();
            answer = text_answer(503, "503 Service Unavailable: other clients use the memory");
            answer->headers.emplace_back("Retry-After", "1");
        }
        send(*std::move(answer));
    } catch (const std::exception&) {
        close();
    }
}

void HttpListener::Connection::send(HttpAnswer answer) {
    if (!reader_.keeps_alive() || listener_.draining_) closes_ = true;
    listener_.metrics_.count_request({.protocol = Protocol::http,
                                      .method = known_method(reader_.method()),
                                      .code = std::to_string(answer.status),
                                      .target = reader_.target(),
                                      .took = Clock::now() - asked_});
    std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", answer.status, reason_of(answer.status),
                                   http_date(std::time(nullptr)));
    bool has_length = false;
    for (const auto& [name, value] : answer.headers) {
        fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
        has_length |= name == "Content-Length";
    }
    if (!has_length && answer.status != 304) {
        uint64_t length = 0;
        for (const std::string_view piece : answer.body) length += piece.size();
        fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", length);
    }
    if (closes_)
        head += "Connection: close\r\n";
    else if (reader_.is_http10())
        head += "Connection: keep-alive\r\n";
    head += "\r\n";
    if (reader_.method() == "HEAD") answer.body.clear();
    state_ = State::answers;
    since_ = Clock::now();
    piece_ = offset_ = 0;
    replaced_.reset();
    owner_ = std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(answer.owners));
    answer_ = std::move(answer);
    outbox_.copy(head);
    libevent().bufferevent_disable(transport_.get(), EV_READ);
    fill();
}

void HttpListener::Connection::fill() {
    while (piece_ < answer_.body.size() && outbox_.has_room()) {
        // In parts, because a connection's buffer counts with whole ones.
        constexpr size_t part = size_t{1} << 20;
        const std::string_view some = answer_.body[piece_].substr(offset_, part);
        if (!some.empty()) outbox_.share(some, owner_);
        listener_.metrics_.add_bytes_sent(some.size());
        offset_ += some.size();
        if (offset_ < answer_.body[piece_].size()) continue;
        ++piece_;
        offset_ = 0;
    }
    outbox_.sent();
    // From here on write() is called when all of it is sent.
    if (piece_ == answer_.body.size()) libevent().bufferevent_setwatermark(transport_.get(), EV_WRITE, 0, 0);
}

void HttpListener::Connection::write() {
    if (state_ != State::answers) return;
    const auto connection = shared_from_this();
    try {
        outbox_.sent();
        fill();
        if (piece_ == answer_.body.size() && outbox_.is_empty()) finish();
    } catch (const std::exception&) { // the part must not look like the whole
        close();
    }
}

void HttpListener::Connection::finish() {
    answer_ = {};
    owner_.reset();
    static_cast<void>(share_.resize(0));
    place_->set_used(false);
    since_ = Clock::now();
    outbox_.expect_more();
    libevent().bufferevent_enable(transport_.get(), EV_READ);
    if (closes_) {
        // A connection that is closed with unread input is reset, and its client may lose the answer.
        state_ = State::ends;
        if (!listener_.tls_) ::shutdown(libevent().bufferevent_getfd(transport_.get()), SHUT_WR);
        return read();
    }
    reader_.restart();
    state_ = State::reads;
    has_asked_ = true;
    in_body_ = false;
    read(); // of the next request
}

void HttpListener::Connection::catalogs_changed(bool replaced) {
    if (replaced && state_ == State::answers && !replaced_) replaced_ = Clock::now();
    if (state_ == State::waits) answer();
}

void HttpListener::Connection::check_times(Clock::time_point now) {
    const Limits& limits = listener_.limits_;
    switch (state_) {
    case State::reads: {
        const bool idle = has_asked_ && reader_.is_empty();
        if (now - since_ > (idle ? limits.idle : limits.request)) close();
        return;
    }
    case State::answers:
        if (outbox_.is_stalled(limits, now) || (replaced_ && now - *replaced_ > limits.old_version)) close();
        return;
    case State::ends:
        if (now - since_ > linger) close();
        return;
    case State::queued:
    case State::waits:
        return;
    }
}

} // namespace opcat::serve
