#include "opcat/serve/grpc_connection.hpp"

#include "opcat/base/error.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

// How long before its deadline a watch ends.
constexpr std::chrono::milliseconds watch_reserve{250};
// Memory for one call, here and in nghttp2.
constexpr size_t stream_cost = 2048;
// How much a client of a conversation may leave unread.
constexpr size_t most_unread = size_t{64} << 10;

nghttp2_nv header(std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) {
        return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); // only read
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string_view view(const uint8_t* bytes, size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

// For results of nghttp2.
void require_memory(int result) {
    if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
}

// A callback of nghttp2, through whose C code nothing may be thrown: if not even a little memory is left, the
// connection ends.
template <auto callback, typename... Arguments>
auto guarded(Arguments... arguments) -> decltype(callback(arguments...)) {
    try {
        return callback(arguments...);
    } catch (const std::exception&) {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
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

// Nothing may be thrown through C code, nor out of the loop: a call for which there is not enough memory is
// reset, and the others of its connection go on.
template <class Action>
void GrpcListener::Connection::guard(int32_t id, const Action& action) {
    try {
        action();
    } catch (const std::exception&) {
        // gRPC calls this RESOURCE_EXHAUSTED.
        libnghttp2().nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_ENHANCE_YOUR_CALM);
    }
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
    // Who does not read what was sent is not read either: the answers to it would have to be kept.
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
            // What it has to say about that, if anything, is a last frame.
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
    const std::array headers = {header(":status", "200"), header("content-type", "application/grpc"),
                                header("grpc-accept-encoding", "identity,gzip")};
    if (stream.has_ended() && stream.pending() == 0) {
        submit_end(id, stream, "200");
        return;
    }
    nghttp2_data_provider provider{};
    provider.read_callback = &guarded<&Connection::on_read>;
    require_memory(
        libnghttp2().nghttp2_submit_response(session_, id, headers.data(), headers.size(), &provider));
}

void GrpcListener::Connection::submit_end(int32_t id, const GrpcStream& stream,
                                          std::string_view http_status) {
    stream_trailers(stream);
    std::vector<nghttp2_nv> headers = {header(":status", http_status),
                                       header("content-type", "application/grpc")};
    headers.insert(headers.end(), trailers_.begin(), trailers_.end());
    require_memory(
        libnghttp2().nghttp2_submit_response(session_, id, headers.data(), headers.size(), nullptr));
}

void GrpcListener::Connection::stream_trailers(const GrpcStream& stream) {
    status_text_ = std::to_string(static_cast<unsigned>(stream.status()));
    message_text_ = percent_encoded(stream.status_message());
    trailers_ = {header("grpc-status", status_text_)};
    if (!message_text_.empty()) trailers_.push_back(header("grpc-message", message_text_));
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

ssize_t GrpcListener::Connection::on_send(nghttp2_session*, const uint8_t* data, size_t size, int,
                                          void* self) {
    Outbox& outbox = static_cast<Connection*>(self)->outbox_;
    if (!outbox.has_room()) return NGHTTP2_ERR_WOULDBLOCK;
    outbox.copy(view(data, size));
    return static_cast<ssize_t>(size);
}

int GrpcListener::Connection::on_send_data(nghttp2_session*, nghttp2_frame* frame,
                                           const uint8_t* frame_header, size_t size, nghttp2_data_source*,
                                           void* self) {
    constexpr size_t frame_header_size = 9;
    auto& connection = *static_cast<Connection*>(self);
    if (!connection.outbox_.has_room()) return NGHTTP2_ERR_WOULDBLOCK;
    GrpcStream* const stream = connection.find(frame->hd.stream_id);
    if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    connection.outbox_.copy(view(frame_header, frame_header_size));
    stream->take(size, [&](std::string_view bytes, const std::shared_ptr<const void>& owner) {
        connection.outbox_.share(bytes, owner);
    });
    connection.listener_.metrics_.add_bytes_sent(size);
    return 0;
}

ssize_t GrpcListener::Connection::on_read(nghttp2_session* session, int32_t id, uint8_t*, size_t size,
                                          uint32_t* flags, nghttp2_data_source*, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    GrpcStream* const stream = connection.find(id);
    if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const size_t some = std::min(size, stream->pending());
    if (some == 0 && !stream->has_ended()) return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (stream->has_ended() && some == stream->pending()) {
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        connection.stream_trailers(*stream);
        require_memory(libnghttp2().nghttp2_submit_trailer(session, id, connection.trailers_.data(),
                                                           connection.trailers_.size()));
    }
    return static_cast<ssize_t>(some);
}

int GrpcListener::Connection::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    auto& connection = *static_cast<Connection*>(self);
    connection.header_bytes_ = 0;
    GrpcStream& stream = connection.streams_.try_emplace(frame->hd.stream_id).first->second;
    // The stream is reset, and counts as one that ended badly.
    if (!connection.hold(stream, 0)) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    connection.place_->set_used(true);
    return 0;
}

int GrpcListener::Connection::on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                                        size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                                        void* self) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    auto& connection = *static_cast<Connection*>(self);
    constexpr size_t overhead = 32; // as RFC 9113 counts
    connection.header_bytes_ += name_size + value_size + overhead;
    if (connection.header_bytes_ > connection.listener_.limits_.header_bytes)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (GrpcStream* const stream = connection.find(frame->hd.stream_id))
        stream->add_header(view(name, name_size), view(value, value_size));
    return 0;
}

int GrpcListener::Connection::on_data(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                                      void* self) {
    auto& connection = *static_cast<Connection*>(self);
    GrpcStream* const stream = connection.find(id);
    if (!stream || stream->has_ended()) return 0;
    const size_t most = connection.listener_.limits_.grpc_message_bytes;
    // Small requests are not worth the look at all the others.
    constexpr size_t small = size_t{16} << 10;
    if (stream->buffered() + size > small && connection.buffered() + size > 2 * most) {
        connection.finish(
            id, *stream,
            failure(GrpcStatus::resource_exhausted, "the connection has too many large requests"));
        return 0;
    }
    if (!connection.hold(*stream, stream->buffered() + size)) {
        connection.finish(id, *stream,
                          failure(GrpcStatus::resource_exhausted, "other clients use the memory"));
        return 0;
    }
    connection.guard(id, [&] {
        stream->add_data(view(data, size), most);
        if (is_conversation(stream->path())) connection.take_messages(id, *stream, false);
    });
    return 0;
}

int GrpcListener::Connection::on_frame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    const int32_t id = frame->hd.stream_id;
    const bool acknowledges = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
    if (frame->hd.type == NGHTTP2_SETTINGS) connection.greeted_ = true;
    if (frame->hd.type == NGHTTP2_PING && acknowledges) connection.pinged_.reset();
    const bool is_control = frame->hd.type == NGHTTP2_PING || frame->hd.type == NGHTTP2_SETTINGS ||
                            frame->hd.type == NGHTTP2_PRIORITY;
    if (is_control && !acknowledges && !connection.controls_.allows(Clock::now())) {
        connection.flooded_ = true;
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    GrpcStream* const stream = connection.find(id);
    if (!stream) return 0;
    const bool is_request_headers =
        frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
    if (is_request_headers) {
        stream->headers_complete = true;
        stream->since = Clock::now();
        if (auto refusal = stream->check_headers()) {
            stream->add_answer(std::move(refusal->answer), true);
            stream->headers_sent = true;
            connection.submit_end(id, *stream, std::to_string(refusal->http_status));
            return 0;
        }
    }
    const bool carries = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (carries && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        stream->request_complete = true;
        connection.guard(id, [&] { connection.take_messages(id, *stream, true); });
    }
    return 0;
}

int GrpcListener::Connection::on_invalid_frame(nghttp2_session*, const nghttp2_frame*, int, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    if (connection.failures_.allows(Clock::now())) return 0;
    connection.flooded_ = true;
    return NGHTTP2_ERR_CALLBACK_FAILURE;
}

// A stream that the client makes the server reset (a window that overflows, a frame that is out of place)
// counts as one that the client has reset.
int GrpcListener::Connection::on_close(nghttp2_session*, int32_t id, uint32_t error, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    const auto found = connection.streams_.find(id);
    if (found != connection.streams_.end()) {
        connection.held_ -= found->second.own_bytes;
        static_cast<void>(connection.share_.resize(connection.held_));
        connection.streams_.erase(found);
    }
    connection.update_use();
    if (connection.streams_.empty()) connection.idle_since_ = Clock::now();
    if (error != NGHTTP2_NO_ERROR && !connection.failures_.allows(Clock::now())) {
        connection.flooded_ = true;
        // Streams are closed while frames are received, and while they are sent.
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return 0;
}

nghttp2_session_callbacks* GrpcListener::Connection::make_callbacks() {
    const Nghttp2& http2 = libnghttp2();
    nghttp2_session_callbacks* callbacks = nullptr;
    if (http2.nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
    http2.nghttp2_session_callbacks_set_send_callback(callbacks, &guarded<&Connection::on_send>);
    http2.nghttp2_session_callbacks_set_send_data_callback(callbacks, &guarded<&Connection::on_send_data>);
    http2.nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                                  &guarded<&Connection::on_begin_headers>);
    http2.nghttp2_session_callbacks_set_on_header_callback(callbacks, &guarded<&Connection::on_header>);
    http2.nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks,
                                                                    &guarded<&Connection::on_data>);
    http2.nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &guarded<&Connection::on_frame>);
    http2.nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks,
                                                                       &Connection::on_invalid_frame);
    http2.nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Connection::on_close);
    // Frames as large as the client takes them, not only 16 KiB.
    http2.nghttp2_session_callbacks_set_data_source_read_length_callback(
        callbacks, [](nghttp2_session*, uint8_t, int32_t, int32_t connection_window, int32_t stream_window,
                      uint32_t largest_frame, void*) {
            constexpr int32_t enough = 64 << 10;
            return static_cast<ssize_t>(std::max(0, std::min({connection_window, stream_window,
                                                              static_cast<int32_t>(largest_frame), enough})));
        });
    return callbacks;
}

} // namespace opcat::serve
