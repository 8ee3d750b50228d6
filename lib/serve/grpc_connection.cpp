#include "opcat/serve/grpc_connection.hpp"

#include "opcat/base/error.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

// The time before its deadline at which a watch ends.
constexpr std::chrono::milliseconds watch_reserve{250};
// Memory for one call, here and in nghttp2.
constexpr size_t stream_cost = 2048;
// The number of bytes that a client of a conversation may leave unread.
constexpr size_t most_unread = size_t{64} << 10;

// For results of nghttp2.
void require_memory(int result) {
    if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
}

} // namespace

bool RateLimit::allows(Clock::time_point now) {
    const std::chrono::duration<double> passed = now - std::exchange(last_, now);
    level_ = std::max(0.0, level_ - passed.count() * per_second_) + 1;
    return level_ <= burst_;
}

GrpcListener::Connection::Connection(GrpcListener& listener, const ServedCatalog& catalog,
                                     OwnedConnection transport, std::unique_ptr<Places::Place> place)
    : listener_(listener), catalog_(catalog), transport_(std::move(transport)), place_(std::move(place)),
      outbox_(transport_.get(), listener.budget_), share_(listener.budget_) {
    if (libnghttp2().nghttp2_session_server_new2(&session_, listener.callbacks_, this,
                                                 listener.session_options_) != 0)
        throw std::bad_alloc();
    listener_.metrics_.connection_opened();
}

GrpcListener::Connection::~Connection() {
    libnghttp2().nghttp2_session_del(session_);
    listener_.metrics_.connection_closed();
}

void GrpcListener::Connection::begin() {
    const Limits& limits = listener_.limits_;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits.header_bytes)}};
    libnghttp2().nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
    const EventCore& core = libevent();
    core.bufferevent_setcb(
        transport_.get(), [](bufferevent*, void* self) { static_cast<Connection*>(self)->read(); },
        [](bufferevent*, void* self) {
            auto& connection = *static_cast<Connection*>(self);
            // Reading may have been switched off.
            connection.outbox_.sent();
            if (connection.outbox_.has_room())
                libevent().bufferevent_enable(connection.transport_.get(), EV_READ);
            connection.send();
        },
        [](bufferevent*, short what, void* self) { static_cast<Connection*>(self)->on_event(what); }, this);
    core.bufferevent_enable(transport_.get(), EV_READ | EV_WRITE);
    send();
}

void GrpcListener::Connection::reset(int32_t id) {
    // gRPC calls this RESOURCE_EXHAUSTED.
    libnghttp2().nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_ENHANCE_YOUR_CALM);
}

void GrpcListener::Connection::catalogs_changed(bool replaced) {
    for (auto& [id, stream] : streams_) {
        if (replaced && !stream.is_watch && !stream.replaced && stream.pending() > 0)
            stream.replaced = Clock::now();
        if (stream.waits_for_catalog && catalog_.snapshot()) {
            stream.waits_for_catalog = false;
            guard(id, [this, id = id, &call = stream] {
                answer(id, call, std::exchange(call.waiting_message, {}));
            });
        }
        if (stream.is_watch) push_health(id, stream);
    }
    send();
}

void GrpcListener::Connection::begin_drain() {
    for (auto& [id, stream] : streams_) {
        if (stream.waits_for_catalog) {
            stream.waits_for_catalog = false;
            finish(id, stream, failure(GrpcStatus::unavailable, "the server ends"));
        }
        if (stream.is_watch) push_health(id, stream);
    }
    // If nothing was served yet, clients must not retry at once, as they do after GOAWAY.
    const Nghttp2& http2 = libnghttp2();
    if (catalog_.snapshot())
        http2.nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                                    http2.nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                                    nullptr, 0);
    send();
}

void GrpcListener::Connection::check_times(Clock::time_point now) {
    const Limits& limits = listener_.limits_;
    if (!greeted_ && now - idle_since_ > limits.request) return close();
    if (outbox_.is_stalled(limits, now)) return close();
    if (streams_.empty() && now - idle_since_ > limits.idle) return say_goodbye();
    for (auto& [id, stream] : streams_)
        if (!check_stream(id, stream, now)) return close();
    if (!check_watches(now)) return close();
    send();
}

bool GrpcListener::Connection::check_stream(int32_t id, GrpcStream& stream, Clock::time_point now) {
    const Limits& limits = listener_.limits_;
    const auto reset = [&, id = id](uint32_t error) {
        stream.expired = true;
        libnghttp2().nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, error);
    };
    if (stream.expired) return true;
    // A watch ends in time, and well: its client has got what it wanted.
    const auto early = stream.is_watch ? watch_reserve : std::chrono::milliseconds(0);
    if (stream.deadline() && now + early >= *stream.deadline()) {
        stream.waits_for_catalog = false;
        if (std::exchange(stream.is_watch, false)) {
            stream.expired = true;
            finish(id, stream, {});
        } else if (!stream.headers_sent) {
            stream.expired = stream.request_complete;
            finish(id, stream, failure(GrpcStatus::deadline_exceeded, "the deadline is over"));
        } else if (!stream.has_ended() || stream.pending() > 0) {
            reset(NGHTTP2_CANCEL);
        }
        return true;
    }
    if (!stream.request_complete && !stream.has_ended() && now - stream.since > limits.request) {
        if (!stream.headers_complete) return false;
        finish(id, stream, failure(GrpcStatus::deadline_exceeded, "the request has not come in time"));
        return true;
    }
    if (stream.replaced && now - *stream.replaced > limits.old_version) {
        reset(NGHTTP2_CANCEL);
    } else if (stream.pending() > 0) {
        if (stream.taken() - stream.taken_then >= Limits::least_taken) {
            stream.taken_then = stream.taken();
            stream.since = now;
        } else if (now - stream.since > limits.stall) {
            reset(NGHTTP2_CANCEL);
        }
    } else if (stream.has_ended() && now - stream.since > limits.request) {
        // The client does not end its half, and has got the answer, or nothing is left to wait for.
        reset(NGHTTP2_NO_ERROR);
    }
    return true;
}

bool GrpcListener::Connection::watches() const {
    return !streams_.empty() && std::all_of(streams_.begin(), streams_.end(),
                                            [](const auto& item) { return item.second.is_watch; });
}

// A client that only waits for news is asked whether it is there: false if it is not.
bool GrpcListener::Connection::check_watches(Clock::time_point now) {
    const Limits& limits = listener_.limits_;
    if (pinged_) return now - *pinged_ <= limits.ping_answer;
    if (!watches() || !outbox_.is_empty() || now - heard_ < limits.ping) return true;
    pinged_ = now;
    libnghttp2().nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
    return true;
}

// The client is to make no more calls here; it may make another connection.
void GrpcListener::Connection::say_goodbye() {
    if (std::exchange(leaving_, true)) return;
    const Nghttp2& http2 = libnghttp2();
    http2.nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                                http2.nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                                nullptr, 0);
    send();
}

void GrpcListener::Connection::update_use() {
    place_->set_used(std::any_of(streams_.begin(), streams_.end(),
                                 [](const auto& item) { return !item.second.is_watch; }));
}

bool GrpcListener::Connection::hold(GrpcStream& stream, size_t bytes) {
    bytes += stream_cost;
    // One small call on each connection is free: the state of health can be asked for in any case.
    if (streams_.size() == 1 && bytes <= 2 * stream_cost) bytes = 0;
    const size_t sum = held_ - stream.own_bytes + bytes;
    if (!share_.resize(sum)) {
        listener_.places_.evict_user();
        return false;
    }
    held_ = sum;
    stream.own_bytes = bytes;
    return true;
}

bool GrpcListener::Connection::is_busy() const {
    return !outbox_.is_empty() || std::any_of(streams_.begin(), streams_.end(),
                                              [](const auto& item) { return !item.second.is_watch; });
}

void GrpcListener::Connection::read() {
    const auto connection = shared_from_this();
    // A client that does not read is not read either: the answers to it would have to be kept.
    if (!outbox_.has_room()) {
        libevent().bufferevent_disable(transport_.get(), EV_READ);
        return;
    }
    heard_ = Clock::now();
    evbuffer* const input = libevent().bufferevent_get_input(transport_.get());
    receiving_ = true;
    while (const size_t size = libevent().evbuffer_get_contiguous_space(input)) {
        const unsigned char* const bytes = libevent().evbuffer_pullup(input, static_cast<ev_ssize_t>(size));
        const ssize_t taken = libnghttp2().nghttp2_session_mem_recv(session_, bytes, size);
        if (flooded_)
            libnghttp2().nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                                               libnghttp2().nghttp2_session_get_last_proc_stream_id(session_),
                                               NGHTTP2_ENHANCE_YOUR_CALM, nullptr, 0);
        if (taken < 0 || flooded_) {
            // This may send a last frame about that.
            libnghttp2().nghttp2_session_send(session_);
            close();
            return;
        }
        libevent().evbuffer_drain(input, static_cast<size_t>(taken));
    }
    receiving_ = false;
    send();
}

void GrpcListener::Connection::send() {
    const Nghttp2& http2 = libnghttp2();
    if (http2.nghttp2_session_send(session_) != 0) return close();
    outbox_.sent();
    const bool done =
        !http2.nghttp2_session_want_read(session_) && !http2.nghttp2_session_want_write(session_);
    if (!done) return;
    if (outbox_.is_empty()) return close();
    libevent().bufferevent_setwatermark(transport_.get(), EV_WRITE, 0, 0); // to be called when all is sent
}

void GrpcListener::Connection::on_event(short what) {
    if ((what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) != 0) close();
}

void GrpcListener::Connection::push_health(int32_t id, GrpcStream& stream) {
    GrpcAnswer answer;
    answer.add_message(health_message(serving()));
    stream.add_answer(std::move(answer), false);
    libnghttp2().nghttp2_session_resume_data(session_, id);
}

Serving GrpcListener::Connection::serving() const {
    return listener_.draining_ ? Serving::ending : catalog_.snapshot() ? Serving::ready : Serving::loading;
}

void GrpcListener::Connection::answer_in_turn(int32_t id) {
    GrpcStream* const stream = find(id);
    if (!stream || stream->has_ended() || stream->expired) return;
    guard(id, [&] { answer(id, *stream, std::exchange(stream->waiting_message, {})); });
    if (!receiving_) send();
}

void GrpcListener::Connection::answer(int32_t id, GrpcStream& stream, std::string message) {
    const auto snapshot = catalog_.snapshot();
    GrpcAnswer answer;
    try {
        answer = answer_call({stream.path(), std::move(message), stream.acknowledges_experimental()},
                             snapshot ? snapshot->registry : nullptr, serving());
    } catch (const std::bad_alloc&) {
        answer = failure(GrpcStatus::resource_exhausted, "there is not enough memory");
    }
    stream.is_watch = answer.stays_open;
    if (answer.status == GrpcStatus::resource_exhausted) listener_.places_.evict_user();
    if (!hold(stream, answer.own_text + answer.body.size() * sizeof(std::string_view)))
        answer = failure(GrpcStatus::resource_exhausted, "other clients use the memory");
    if (stream.is_watch) update_use();
    if (is_conversation(stream.path()) && answer.status == GrpcStatus::ok) {
        stream.add_answer(std::move(answer), false);
        start(id, stream);
    } else {
        finish(id, stream, std::move(answer));
    }
}

void GrpcListener::Connection::finish(int32_t id, GrpcStream& stream, GrpcAnswer answer) {
    const bool stays_open = answer.stays_open;
    if (stream.pending() == 0) {
        stream.since = Clock::now();
        stream.taken_then = stream.taken();
    }
    stream.add_answer(std::move(answer), !stays_open);
    if (!stays_open)
        listener_.metrics_.count_request({.protocol = Protocol::grpc,
                                          .method = method_name(stream.path()),
                                          .code = to_string(stream.status()),
                                          .target = stream.path(),
                                          .took = GrpcStream::Clock::now() - stream.begin()});
    start(id, stream);
}

void GrpcListener::Connection::start(int32_t id, GrpcStream& stream) {
    if (std::exchange(stream.headers_sent, true)) {
        libnghttp2().nghttp2_session_resume_data(session_, id);
        return;
    }
    const std::array headers = {http2_header(":status", "200"),
                                http2_header("content-type", "application/grpc"),
                                http2_header("grpc-accept-encoding", "identity,gzip")};
    if (stream.has_ended() && stream.pending() == 0) {
        submit_end(id, stream, "200");
        return;
    }
    const nghttp2_data_provider provider = answer_provider();
    require_memory(
        libnghttp2().nghttp2_submit_response(session_, id, headers.data(), headers.size(), &provider));
}

void GrpcListener::Connection::submit_end(int32_t id, const GrpcStream& stream,
                                          std::string_view http_status) {
    set_trailers(stream);
    std::vector<nghttp2_nv> headers = {http2_header(":status", http_status),
                                       http2_header("content-type", "application/grpc")};
    headers.insert(headers.end(), trailers_.begin(), trailers_.end());
    require_memory(
        libnghttp2().nghttp2_submit_response(session_, id, headers.data(), headers.size(), nullptr));
}

void GrpcListener::Connection::submit_trailers(int32_t id, const GrpcStream& stream) {
    set_trailers(stream);
    require_memory(libnghttp2().nghttp2_submit_trailer(session_, id, trailers_.data(), trailers_.size()));
}

void GrpcListener::Connection::set_trailers(const GrpcStream& stream) {
    status_text_ = std::to_string(static_cast<unsigned>(stream.status()));
    message_text_ = percent_encoded(stream.status_message());
    trailers_ = {http2_header("grpc-status", status_text_)};
    if (!message_text_.empty()) trailers_.push_back(http2_header("grpc-message", message_text_));
}

void GrpcListener::Connection::take_messages(int32_t id, GrpcStream& stream, bool at_end) {
    const size_t most = listener_.limits_.grpc_message_bytes;
    const bool conversation = is_conversation(stream.path());
    while (!stream.has_ended()) {
        auto message = stream.take_message(most);
        if (!message) break;
        if (message->failure) return finish(id, stream, *std::move(message->failure));
        if (!conversation && std::exchange(stream.dispatched, true))
            return finish(id, stream, failure(GrpcStatus::internal, "the request has two messages"));
        if (conversation) {
            if (!place_->settle())
                return finish(id, stream, failure(GrpcStatus::unavailable, "there is no free place"));
            stream.since = Clock::now();
            if (unread_answers() > most_unread)
                return finish(id, stream,
                              failure(GrpcStatus::resource_exhausted,
                                      "the client does not read the answers to its earlier requests"));
            answer(id, stream, std::move(message->text));
            continue;
        }
        stream.waiting_message = std::move(message->text);
    }
    if (!at_end || stream.has_ended()) return;
    if (conversation) return finish(id, stream, {});
    if (!stream.dispatched || stream.has_rest())
        return finish(id, stream, failure(GrpcStatus::internal, "the request has no whole message"));
    if (is_health_check(stream.path())) return answer(id, stream, std::exchange(stream.waiting_message, {}));
    if (!place_->settle())
        return finish(id, stream, failure(GrpcStatus::unavailable, "there is no free place"));
    if (needs_catalog(stream.path()) && !catalog_.snapshot() && !listener_.draining_) {
        stream.waits_for_catalog = true;
        return;
    }
    listener_.loop_.run_in_turn([weak = weak_from_this(), id] {
        if (const auto connection = weak.lock()) connection->answer_in_turn(id);
    });
}

GrpcStream* GrpcListener::Connection::find(int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second;
}

size_t GrpcListener::Connection::unread_answers() const {
    size_t sum = 0;
    for (const auto& [id, stream] : streams_)
        if (is_conversation(stream.path())) sum += stream.pending();
    return sum;
}

size_t GrpcListener::Connection::buffered() const {
    size_t sum = 0;
    for (const auto& [id, stream] : streams_) sum += stream.buffered();
    return sum;
}

} // namespace opcat::serve
