// One HTTP/2 connection of gRPC, for grpc_listener.cpp.
#pragma once

#include "opcat/serve/grpc_listener.hpp"
#include "opcat/serve/grpc_stream.hpp"
#include "opcat/serve/outbox.hpp"

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::serve {

// Limits how often something may happen: so many times at once, and so often in a second.
class RateLimit {
public:
    using Clock = std::chrono::steady_clock;

    RateLimit(double burst, double per_second) : burst_(burst), per_second_(per_second) {}
    // Counts it; false if it is too often.
    bool allows(Clock::time_point now);

private:
    double burst_;
    double per_second_;
    double level_ = 0;
    Clock::time_point last_ = Clock::now();
};

class GrpcListener::Connection : public std::enable_shared_from_this<GrpcListener::Connection> {
public:
    using Clock = GrpcStream::Clock;

    Connection(GrpcListener& listener, const ServedCatalog& catalog, OwnedConnection transport,
               std::unique_ptr<Places::Place> place);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    static nghttp2_session_callbacks* make_callbacks();

    // Each of these may remove the connection from its listener.
    void begin();
    void catalogs_changed(bool replaced);
    void begin_drain();
    void check_times(Clock::time_point now);
    bool is_busy() const;

private:
    void close() { listener_.connections_.remove(this); }

    // These may remove the connection.
    void read();
    void send();
    void on_event(short what);

    // Resets streams, and the connection if false.
    bool check_stream(int32_t id, GrpcStream& stream, Clock::time_point now);
    bool check_watches(Clock::time_point now);
    void say_goodbye();
    void update_use();
    // Gives a stream a part of the budget; false if there is not so much.
    bool hold(GrpcStream& stream, size_t bytes);
    bool watches() const;
    void push_health(int32_t id, GrpcStream& stream);
    Serving serving() const;

    // Nothing may be thrown through C code, nor out of the loop: a call for which there is not enough memory
    // is reset, and the others of its connection go on.
    template <class Action>
    void guard(int32_t id, const Action& action) {
        try {
            action();
        } catch (const std::exception&) {
            reset(id);
        }
    }
    void reset(int32_t id);

    // A whole request, when it is its turn.
    void answer_in_turn(int32_t id);
    // A whole message of the request.
    void answer(int32_t id, GrpcStream& stream, std::string message);
    void finish(int32_t id, GrpcStream& stream, GrpcAnswer answer);

    // Sends the available part of the answer.
    void start(int32_t id, GrpcStream& stream);

    // An answer of headers only: the trailers at once.
    void submit_end(int32_t id, const GrpcStream& stream, std::string_view http_status);
    // After the answer.
    void submit_trailers(int32_t id, const GrpcStream& stream);
    void set_trailers(const GrpcStream& stream);

    // Takes what has arrived of the request.
    void take_messages(int32_t id, GrpcStream& stream, bool at_end);
    GrpcStream* find(int32_t id);

    // Bytes of requests that are not answered yet, of all streams: a client may send many at a time, or large
    // ones.
    size_t buffered() const;
    // Bytes of answers in conversations, each of which has its own, and as many as its client asks for.
    size_t unread_answers() const;

    // nghttp2's callbacks: grpc_callbacks.cpp.
    static nghttp2_data_provider answer_provider();
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
    static int on_invalid_frame(nghttp2_session*, const nghttp2_frame*, int, void* self);
    static int on_close(nghttp2_session*, int32_t id, uint32_t error, void* self);

    GrpcListener& listener_;
    const ServedCatalog& catalog_;
    OwnedConnection transport_;
    std::unique_ptr<Places::Place> place_;
    Outbox outbox_;
    BudgetShare share_;
    size_t held_ = 0; // by all streams
    nghttp2_session* session_ = nullptr;
    std::map<int32_t, GrpcStream> streams_;
    size_t header_bytes_ = 0; // of the headers that are being received
    bool receiving_ = false;  // nghttp2 is at work: what is submitted is sent after that
    bool greeted_ = false;    // the client's first frame has come
    bool leaving_ = false;    // GOAWAY was sent
    Clock::time_point idle_since_ = Clock::now();

    // Streams that end badly, by whoever resets them: each costs its client nothing.
    RateLimit failures_{1000, 33};
    // Frames that are not part of a call.
    RateLimit controls_{10'000, 500};
    bool flooded_ = false;

    // Pings to a client that watches.
    Clock::time_point heard_ = Clock::now();
    std::optional<Clock::time_point> pinged_; // and no answer has come

    // Memory of the last trailers while nghttp2 copies them.
    std::string status_text_;
    std::string message_text_;
    std::vector<nghttp2_nv> trailers_;
};

} // namespace opcat::serve
