// The callbacks with which nghttp2 asks a connection and reports to it.
#include "opcat/serve/grpc_connection.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

std::string_view view(const uint8_t* bytes, size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
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

ssize_t GrpcListener::Connection::on_read(nghttp2_session*, int32_t id, uint8_t*, size_t size,
                                          uint32_t* flags, nghttp2_data_source*, void* self) {
    auto& connection = *static_cast<Connection*>(self);
    GrpcStream* const stream = connection.find(id);
    if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const size_t some = std::min(size, stream->pending());
    if (some == 0 && !stream->has_ended()) return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (stream->has_ended() && some == stream->pending()) {
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        connection.submit_trailers(id, *stream);
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

nghttp2_data_provider GrpcListener::Connection::answer_provider() {
    nghttp2_data_provider provider{};
    provider.read_callback = &guarded<&Connection::on_read>;
    return provider;
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
