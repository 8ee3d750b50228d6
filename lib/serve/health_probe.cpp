#include "opcat/serve/health_probe.hpp"

#include "opcat/serve/grpc_answer.hpp"
#include "opcat/serve/libraries.hpp"
#include "opcat/serve/probe_connection.hpp"
#include "opcat/serve/protobuf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

namespace opcat::serve {
namespace {

// One call on a connection of its own.
class Call {
public:
    Call(const HealthQuestion& question, ProbeConnection& connection)
        : connection_(connection), deadline_(ProbeConnection::Clock::now() + question.call_timeout),
          // A path is not an authority; gRPC says "localhost" for it.
          authority_(question.endpoint.unix_path.empty() ? question.endpoint.to_text() : "localhost"),
          scheme_(question.tls ? "https" : "http") {
        std::string message;
        protobuf::append_string(message, 1, question.service);
        request_ = message_prefix(message.size()) + message;
    }
    ~Call() {
        if (session_) libnghttp2().nghttp2_session_del(session_);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    HealthAnswer run() {
        start();
        std::string problem = "the server did not answer the call";
        bool has_bytes = false;
        while (!ended_) {
            if (libnghttp2().nghttp2_session_send(session_) != 0 ||
                !libnghttp2().nghttp2_session_want_read(session_))
                break;
            std::array<uint8_t, 4096> bytes;
            const ssize_t size = connection_.receive(bytes, deadline_, problem);
            if (size == 0) problem = "the server closed the connection";
            if (size <= 0) break;
            has_bytes = true;
            if (libnghttp2().nghttp2_session_mem_recv(session_, bytes.data(), static_cast<size_t>(size)) < 0)
                break;
        }
        if (status_.empty())
            return failed(!send_problem_.empty()      ? send_problem_
                          : has_bytes && !has_frames_ ? "the server does not speak gRPC"
                                                      : problem);
        if (status_ != "0") return failed(fmt::format("status {}: {}", status_, status_message_));
        return {is_serving() ? Health::serving : Health::not_serving, {}};
    }

private:
    static HealthAnswer failed(std::string problem) { return {Health::failed, std::move(problem)}; }

    void start() {
        const Nghttp2& http2 = libnghttp2();
        nghttp2_session_callbacks* callbacks = nullptr;
        if (http2.nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
        http2.nghttp2_session_callbacks_set_send_callback(callbacks, &Call::on_send);
        http2.nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &Call::on_frame);
        http2.nghttp2_session_callbacks_set_on_header_callback(callbacks, &Call::on_header);
        http2.nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &Call::on_data);
        http2.nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &Call::on_close);
        const int failed = http2.nghttp2_session_client_new(&session_, callbacks, this);
        http2.nghttp2_session_callbacks_del(callbacks);
        if (failed != 0) throw std::bad_alloc();
        http2.nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
        const auto header = [](std::string_view name, std::string_view value) {
            const auto bytes = [](std::string_view text) {
                return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data())); // only read
            };
            return nghttp2_nv{bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
        };
        const std::array headers = {header(":method", "POST"),
                                    header(":scheme", scheme_),
                                    header(":authority", authority_),
                                    header(":path", "/grpc.health.v1.Health/Check"),
                                    header("content-type", "application/grpc"),
                                    header("te", "trailers")};
        nghttp2_data_provider body{};
        body.read_callback = &Call::on_read;
        http2.nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &body, nullptr);
    }

    bool is_serving() const {
        constexpr size_t prefix = 5;
        constexpr uint64_t serving = 1;
        protobuf::Reader reader(std::string_view(answer_).substr(std::min(prefix, answer_.size())));
        uint64_t status = 0;
        while (const auto field = reader.next())
            if (field->number == 1) status = field->varint;
        return status == serving && !reader.failed();
    }

    static ssize_t on_send(nghttp2_session*, const uint8_t* data, size_t size, int, void* self) {
        auto& call = *static_cast<Call*>(self);
        return call.connection_.send({data, size}, call.deadline_, call.send_problem_)
                   ? static_cast<ssize_t>(size)
                   : static_cast<ssize_t>(NGHTTP2_ERR_CALLBACK_FAILURE);
    }
    static ssize_t on_read(nghttp2_session*, int32_t, uint8_t* to, size_t size, uint32_t* flags,
                           nghttp2_data_source*, void* self) {
        auto& request = static_cast<Call*>(self)->request_;
        const size_t some = std::min(size, request.size());
        std::copy_n(request.begin(), some, to);
        request.erase(0, some);
        if (request.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(some);
    }
    static int on_frame(nghttp2_session*, const nghttp2_frame*, void* self) {
        static_cast<Call*>(self)->has_frames_ = true;
        return 0;
    }
    static int on_header(nghttp2_session*, const nghttp2_frame*, const uint8_t* name, size_t name_size,
                         const uint8_t* value, size_t value_size, uint8_t, void* self) {
        auto& call = *static_cast<Call*>(self);
        const std::string_view known(reinterpret_cast<const char*>(name), name_size);
        const std::string_view text(reinterpret_cast<const char*>(value), value_size);
        if (known == "grpc-status") call.status_ = text;
        if (known == "grpc-message") call.status_message_ = text;
        return 0;
    }
    static int on_data(nghttp2_session*, uint8_t, int32_t, const uint8_t* data, size_t size, void* self) {
        constexpr size_t enough = 1024;
        std::string& answer = static_cast<Call*>(self)->answer_;
        answer.append(reinterpret_cast<const char*>(data),
                      std::min(size, enough - std::min(enough, answer.size())));
        return 0;
    }
    static int on_close(nghttp2_session*, int32_t, uint32_t, void* self) {
        static_cast<Call*>(self)->ended_ = true;
        return 0;
    }

    ProbeConnection& connection_;
    ProbeConnection::Clock::time_point deadline_;
    std::string authority_;
    std::string scheme_;
    std::string request_;
    nghttp2_session* session_ = nullptr;
    std::string answer_;
    std::string status_;
    std::string status_message_;
    std::string send_problem_; // empty: all was sent
    bool has_frames_ = false;  // of HTTP/2, from the server
    bool ended_ = false;
};

} // namespace

HealthAnswer ask_for_health(const HealthQuestion& question) {
    std::string problem;
    ProbeConnection connection(question, problem);
    if (!problem.empty()) return {Health::unreachable, problem};
    return Call(question, connection).run();
}

} // namespace opcat::serve
