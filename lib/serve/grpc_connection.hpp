// One HTTP/2 connection of gRPC, for grpc_listener.cpp.
#pragma once

#include "opcat/serve/grpc_listener.hpp"
#include "opcat/serve/grpc_stream.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace opcat::serve {

class GrpcListener::Connection {
public:
    Connection(GrpcListener& listener, const ServedCatalog& catalog, OwnedConnection transport);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    static nghttp2_session_callbacks* make_callbacks();

    // Each of these may delete the connection.
    void catalogs_changed();
    void begin_drain();
    void check_deadlines(GrpcStream::Clock::time_point now);
    bool is_busy() const;

private:
    void close() { listener_.remove(this); }

    void read();

    // May delete the connection.
    void send();
    void on_event(short what);
    void push_health(int32_t id, GrpcStream& stream);
    Serving serving() const;

    template <class Action>
    void guard(int32_t id, const Action& action);

    // A whole message of the request.
    void answer(int32_t id, GrpcStream& stream, std::string message);
    void finish(int32_t id, GrpcStream& stream, GrpcAnswer answer);

    // Sends the available part of the answer.
    void start(int32_t id, GrpcStream& stream);

    // An answer of headers only: the trailers at once.
    void submit_end(int32_t id, const GrpcStream& stream, std::string_view http_status);
    void stream_trailers(const GrpcStream& stream);

    // What has arrived of the request.
    void take_messages(int32_t id, GrpcStream& stream, bool at_end);
    GrpcStream* find(int32_t id);

    // Bytes of requests that are not answered yet, of all streams: a client may send many at a time, or large
    // ones.
    size_t buffered() const;
    // Bytes of answers in conversations, each of which has its own, and as many as its client asks for.
    size_t unread_answers() const;

    // nghttp2's callbacks.
    static ssize_t on_send(nghttp2_session*, const uint8_t* data, size_t size, int, void* self);
    static int on_send_data(nghttp2_session*, nghttp2_frame* frame, const uint8_t* frame_header, size_t size,
                            nghttp2_data_source*, void* self);
    static ssize_t on_read(nghttp2_session*, int32_t id, uint8_t*, size_t size, uint32_t* flags,
                           nghttp2_data_source*, void* self);
    static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self);
    static int on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                         const uint8_t* value, size_t value_size, uint8_t, void* self);
    static int on_data(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* self);
    static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* self);
    static int on_close(nghttp2_session*, int32_t id, uint32_t, void* self);

    GrpcListener& listener_;
    const ServedCatalog& catalog_;
    OwnedConnection transport_;
    nghttp2_session* session_ = nullptr;
    std::map<int32_t, GrpcStream> streams_;
    std::unordered_set<int32_t> expired_; // streams whose deadline is over, until they are closed
    size_t header_bytes_ = 0;             // of the headers that are being received

    // Memory of the last trailers while nghttp2 copies them.
    std::string status_text_;
    std::string message_text_;
    std::vector<nghttp2_nv> trailers_;
};

} // namespace opcat::serve
