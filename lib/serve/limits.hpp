// Limits for clients of a server.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace opcat::serve {

// Requests and bytes beyond the limits are refused. What a client takes too long for ends its connection.
struct Limits {
    unsigned connections = 1024; // that have asked for more than health and metrics
    unsigned streams = 128;      // of gRPC, on each connection
    size_t header_bytes = size_t{16} << 10;
    size_t http_body_bytes = size_t{64} << 10;
    size_t grpc_message_bytes = size_t{64} << 10; // requests of the registry API are names

    // Without a request in progress.
    std::chrono::milliseconds idle{300'000};
    // All of a request's headers, with the handshakes of a new connection before them; then all of its body.
    std::chrono::milliseconds request{10'000};
    // The time in which the client of an answer takes at least `least_taken` bytes, or all of it.
    std::chrono::milliseconds stall{60'000};
    static constexpr size_t least_taken = size_t{16} << 10;
    // The time for which an answer may go on with a version of the catalog that has been replaced.
    std::chrono::milliseconds old_version{60'000};
    // The time between two pings to clients that only watch, and the time that their answer may take.
    std::chrono::milliseconds ping{30'000};
    std::chrono::milliseconds ping_answer{10'000};

    // None of the times is longer than `idle`.
    Limits within_idle() const {
        Limits limits = *this;
        for (auto* const time :
             {&limits.request, &limits.stall, &limits.old_version, &limits.ping, &limits.ping_answer})
            *time = std::min(*time, idle);
        return limits;
    }
};

} // namespace opcat::serve
