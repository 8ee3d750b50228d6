#include "opcat/serve/grpc_client.hpp"

#include "opcat/base/error.hpp"
#include "opcat/serve/grpc_answer.hpp"
#include "opcat/serve/libraries.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <new>

namespace opcat::serve {
namespace {

// A window of the usual 64 KiB would cost a distant client a round trip for each.
constexpr int32_t window = 8 << 20;

} // namespace

class GrpcClient::Session {
public:
    Session(ClientConnection& connection, const Endpoint& endpoint, bool tls, GrpcClientLimits limits)
        : connection_(connection),
          // A path is not an authority; gRPC says "localhost" for it.
          authority_(endpoint.unix_path.empty() ? endpoint.to_text() : "localhost"),
          scheme_(tls ? "https" : "http"), limits_(limits) {
        nghttp2_session_callbacks* callbacks = nullptr;
        if (http2_.nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
        http2_.nghttp2_session_callbacks_set_send_callback(callbacks, &Session::on_send);
        http2_.nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Session::on_frame);
        http2_.nghttp2_session_callbacks_set_on_header_callback(callbacks, &Session::on_header);
        http2_.nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Session::on_data);
        http2_.nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Session::on_close);
        const int failed = http2_.nghttp2_session_client_new(&session_, callbacks, this);
        http2_.nghttp2_session_callbacks_del(callbacks);
        if (failed != 0) throw std::bad_alloc();
        const nghttp2_settings_entry setting{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window};
        http2_.nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &setting, 1);
        http2_.nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, window);
    }
    ~Session() { http2_.nghttp2_session_del(session_); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    std::string run(std::span<ClientCall> calls, Clock::time_point deadline,
                    std::chrono::milliseconds silence) {
        for (ClientCall& call : calls) submit(call);
        std::string problem = "the server did not answer the call";
        bool has_bytes = false;
        std::vector<uint8_t> bytes(size_t{64} << 10);
        while (!streams_.empty()) {
            deadline_ = std::min(deadline, Clock::now() + silence);
            const int sent = http2_.nghttp2_session_send(session_);
            if (failure_) std::rethrow_exception(failure_);
            if (sent != 0 || !http2_.nghttp2_session_want_read(session_)) break;
            const ssize_t size = connection_.receive(bytes, deadline_, problem);
            if (size == 0) problem = "the server closed the connection";
            if (size <= 0) break;
            has_bytes = true;
            const ssize_t read =
                http2_.nghttp2_session_mem_recv(session_, bytes.data(), static_cast<size_t>(size));
            if (failure_) std::rethrow_exception(failure_);
            if (read < 0) break;
        }
        const bool all_ended = std::all_of(calls.begin(), calls.end(),
                                           [](const ClientCall& call) { return !call.status.empty(); });
        if (all_ended) return {};
        return !send_problem_.empty()      ? send_problem_
               : has_bytes && !has_frames_ ? "the server does not speak gRPC"
                                           : problem;
    }

private:
    struct Stream {
        ClientCall* call;
        std::string unsent;
        std::string received = {}; // the beginning of a message
    };

    void submit(ClientCall& call) {
        const std::array headers = {http2_header(":method", "POST"),
                                    http2_header(":scheme", scheme_),
                                    http2_header(":authority", authority_),
                                    http2_header(":path", call.path),
                                    http2_header("content-type", "application/grpc"),
                                    http2_header("te", "trailers")};
        nghttp2_data_provider body{};
        body.read_callback = &Session::on_read;
        const int32_t id =
            http2_.nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &body, nullptr);
        if (id < 0) throw std::bad_alloc();
        streams_.emplace(id, Stream{&call, message_prefix(call.request.size()) + call.request});
    }

    Stream* stream(int32_t id) {
        const auto found = streams_.find(id);
        return found == streams_.end() ? nullptr : &found->second;
    }

    // The messages that are complete.
    void take(Stream& stream) {
        constexpr size_t prefix = 5;
        std::string_view rest = stream.received;
        while (rest.size() >= prefix) {
            size_t size = 0;
            for (size_t i = 1; i < prefix; ++i) size = size << 8U | static_cast<uint8_t>(rest[i]);
            if (rest[0] != 0) throw Error("the server compresses messages, which it was not asked to");
            if (size > limits_.message)
                throw Error(fmt::format("the server sends a message of {} bytes, and at most {} are read "
                                        "[limit]",
                                        size, limits_.message));
            if (rest.size() - prefix < size) break;
            stream.call->take(rest.substr(prefix, size));
            rest.remove_prefix(prefix + size);
        }
        stream.received.erase(0, stream.received.size() - rest.size());
    }

    void receive(Stream& stream, std::string_view bytes) {
        received_ += bytes.size();
        if (received_ > limits_.answers)
            throw Error(fmt::format("the server sends more than {} bytes, which is all that is read [limit]",
                                    limits_.answers));
        stream.received += bytes;
        take(stream);
    }

    static ssize_t on_send(nghttp2_session*, const uint8_t* data, size_t size, int, void* self) {
        auto& client = *static_cast<Session*>(self);
        return client.connection_.send({data, size}, client.deadline_, client.send_problem_)
                   ? static_cast<ssize_t>(size)
                   : static_cast<ssize_t>(NGHTTP2_ERR_CALLBACK_FAILURE);
    }
    static ssize_t on_read(nghttp2_session*, int32_t id, uint8_t* to, size_t size, uint32_t* flags,
                           nghttp2_data_source*, void* self) {
        Stream* const stream = static_cast<Session*>(self)->stream(id);
        if (!stream) return NGHTTP2_ERR_CALLBACK_FAILURE;
        const size_t some = std::min(size, stream->unsent.size());
        std::copy_n(stream->unsent.begin(), some, to);
        stream->unsent.erase(0, some);
        if (stream->unsent.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(some);
    }
    static int on_frame(nghttp2_session*, const nghttp2_frame*, void* self) {
        static_cast<Session*>(self)->has_frames_ = true;
        return 0;
    }
    static int on_header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                         const uint8_t* value, size_t value_size, uint8_t, void* self) {
        Stream* const stream = static_cast<Session*>(self)->stream(frame->hd.stream_id);
        if (!stream) return 0;
        const std::string_view known(reinterpret_cast<const char*>(name), name_size);
        const std::string_view text(reinterpret_cast<const char*>(value), value_size);
        if (known == "grpc-status") stream->call->status = text;
        if (known == "grpc-message") stream->call->status_message = text;
        return 0;
    }
    // An exception must not pass through the library.
    static int on_data(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* self) {
        auto& client = *static_cast<Session*>(self);
        Stream* const stream = client.stream(id);
        if (!stream) return 0;
        try {
            client.receive(*stream, {reinterpret_cast<const char*>(data), size});
        } catch (...) {
            client.failure_ = std::current_exception();
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        }
        return 0;
    }
    static int on_close(nghttp2_session*, int32_t id, uint32_t, void* self) {
        static_cast<Session*>(self)->streams_.erase(id);
        return 0;
    }

    const Nghttp2& http2_ = libnghttp2();
    ClientConnection& connection_;
    std::string authority_;
    std::string scheme_;
    GrpcClientLimits limits_;
    Clock::time_point deadline_;
    nghttp2_session* session_ = nullptr;
    std::map<int32_t, Stream> streams_; // that have not ended
    size_t received_ = 0;               // bytes of answers
    std::exception_ptr failure_;
    std::string send_problem_; // empty: all was sent
    bool has_frames_ = false;  // of HTTP/2, from the server
};

GrpcClient::GrpcClient(ClientConnection& connection, const Endpoint& endpoint, bool tls,
                       GrpcClientLimits limits)
    : session_(std::make_unique<Session>(connection, endpoint, tls, limits)) {}

GrpcClient::~GrpcClient() = default;

std::string GrpcClient::run(std::span<ClientCall> calls, Clock::time_point deadline,
                            std::chrono::milliseconds silence) {
    return session_->run(calls, deadline, silence);
}

} // namespace opcat::serve
