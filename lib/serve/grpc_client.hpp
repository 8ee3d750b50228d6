// Calls of gRPC, as a client.
#pragma once

#include "opcat/serve/client_connection.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace opcat::serve {

struct ClientCall {
    std::string path;    // "/grpc.health.v1.Health/Check"
    std::string request; // the message
    // Called with each message of the answer. What it throws ends all calls.
    std::function<void(std::string_view message)> take;

    std::string status = {}; // "0"; empty: the call has not ended
    std::string status_message = {};
};

// The limits of what a server may send.
struct GrpcClientLimits {
    size_t message = size_t{4} << 20; // bytes; gRPC's usual limit
    size_t answers = size_t{4} << 20; // bytes of all messages
};

// The calls on one connection.
class GrpcClient {
public:
    using Clock = ClientConnection::Clock;

    // `connection` must outlive the client.
    GrpcClient(ClientConnection& connection, const Endpoint& endpoint, bool tls, GrpcClientLimits limits);
    ~GrpcClient();
    GrpcClient(const GrpcClient&) = delete;
    GrpcClient& operator=(const GrpcClient&) = delete;

    // Makes the calls at the same time. Returns when all have ended, or else why the others cannot: there is
    // no answer before the deadline, or nothing for `silence`. Throws Error for an answer that exceeds a
    // limit or cannot be read, and what a call's `take` throws.
    std::string run(std::span<ClientCall> calls, Clock::time_point deadline,
                    std::chrono::milliseconds silence);

private:
    class Session;
    std::unique_ptr<Session> session_;
};

} // namespace opcat::serve
