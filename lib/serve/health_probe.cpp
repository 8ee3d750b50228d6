#include "opcat/serve/health_probe.hpp"

#include "opcat/base/file.hpp"
#include "opcat/serve/grpc_answer.hpp"
#include "opcat/serve/libraries.hpp"
#include "opcat/serve/protobuf.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

namespace opcat::serve {
namespace {

using Clock = std::chrono::steady_clock;

// Waits until the socket can be read or written; false when the time is over.
bool wait_for(int socket, short events, Clock::time_point deadline) {
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd waiting{socket, events, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<int64_t>(0, left)));
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}

constexpr std::string_view too_late = "there was no connection in time";

// A connected socket, or why there is none.
Socket connect_to(const sockaddr* address, socklen_t size, Clock::time_point deadline, std::string& problem) {
    Socket socket(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    int failure = errno;
    if (socket.get() >= 0) {
        failure = ::connect(socket.get(), address, size) == 0 ? 0 : errno;
        if (failure == EINPROGRESS) {
            if (!wait_for(socket.get(), POLLOUT, deadline)) {
                problem = too_late;
                return Socket();
            }
            socklen_t length = sizeof failure;
            ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &length);
        }
    }
    if (failure == 0) return socket;
    problem = system_message(failure);
    return Socket();
}

Socket connect_to(const Endpoint& endpoint, Clock::time_point deadline, std::string& problem) {
    if (!endpoint.unix_path.empty()) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        endpoint.unix_path.copy(address.sun_path, sizeof address.sun_path - 1);
        return connect_to(reinterpret_cast<sockaddr*>(&address), sizeof address, deadline, problem);
    }
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const char* const host = endpoint.host.empty() ? "localhost" : endpoint.host.c_str();
    if (const int failed = ::getaddrinfo(host, endpoint.port.c_str(), &wanted, &found)) {
        problem = ::gai_strerror(failed);
        return Socket();
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one; one = one->ai_next) {
        Socket socket = connect_to(one->ai_addr, one->ai_addrlen, deadline, problem);
        if (socket.get() >= 0) return socket;
    }
    return Socket();
}

// One call on a connection of its own.
class Call {
public:
    Call(const HealthQuestion& question, Socket socket)
        : socket_(std::move(socket)), deadline_(Clock::now() + question.call_timeout),
          authority_(question.endpoint.to_text()) {
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
        while (!ended_) {
            if (libnghttp2().nghttp2_session_send(session_) != 0) break;
            if (!wait_for(socket_.get(), POLLIN, deadline_)) return failed("there was no answer in time");
            std::array<uint8_t, 4096> bytes;
            const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
            if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (size < 0) return failed(system_message(errno));
            if (size == 0) return failed("the server closed the connection");
            if (libnghttp2().nghttp2_session_mem_recv(session_, bytes.data(), static_cast<size_t>(size)) < 0)
                return failed("the server does not speak gRPC");
        }
        if (status_ != "0")
            return failed(status_.empty() ? "the server did not answer the call"
                                          : fmt::format("status {}: {}", status_, status_message_));
        return {is_serving() ? Health::serving : Health::not_serving, {}};
    }

private:
    static HealthAnswer failed(std::string problem) { return {Health::failed, std::move(problem)}; }

    void start() {
        const Nghttp2& http2 = libnghttp2();
        nghttp2_session_callbacks* callbacks = nullptr;
        if (http2.nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
        http2.nghttp2_session_callbacks_set_send_callback(callbacks, &Call::on_send);
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
                                    header(":scheme", "http"),
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
        if (!wait_for(call.socket_.get(), POLLOUT, call.deadline_)) return NGHTTP2_ERR_CALLBACK_FAILURE;
        const ssize_t sent = ::send(call.socket_.get(), data, size, MSG_NOSIGNAL);
        return sent < 0 ? static_cast<ssize_t>(NGHTTP2_ERR_CALLBACK_FAILURE) : sent;
    }
    static ssize_t on_read(nghttp2_session*, int32_t, uint8_t* to, size_t size, uint32_t* flags,
                           nghttp2_data_source*, void* self) {
        auto& request = static_cast<Call*>(self)->request_;
        const size_t some = std::min(size, request.size());
        std::memcpy(to, request.data(), some);
        request.erase(0, some);
        if (request.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
        return static_cast<ssize_t>(some);
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

    Socket socket_;
    Clock::time_point deadline_;
    std::string authority_;
    std::string request_;
    nghttp2_session* session_ = nullptr;
    std::string answer_;
    std::string status_;
    std::string status_message_;
    bool ended_ = false;
};

} // namespace

HealthAnswer ask_for_health(const HealthQuestion& question) {
    std::string problem;
    Socket socket = connect_to(question.endpoint, Clock::now() + question.connect_timeout, problem);
    if (socket.get() < 0) return {Health::unreachable, problem};
    return Call(question, std::move(socket)).run();
}

} // namespace opcat::serve
