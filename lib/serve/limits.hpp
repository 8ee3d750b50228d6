// Limits for clients of a server.
#pragma once

#include <chrono>
#include <cstddef>

namespace opcat::serve {

// Connections beyond the limit wait; calls and bytes beyond the other limits are refused.
struct Limits {
    // Of all threads and protocols. A thread notices only after it has accepted a connection that the others
    // have reached the limit, so each thread may accept one too many for each protocol.
    unsigned connections = 1024;
    unsigned streams = 128; // of gRPC, on each connection
    std::chrono::seconds idle{300};
    size_t header_bytes = size_t{16} << 10;
    size_t http_body_bytes = size_t{64} << 10;
    size_t grpc_message_bytes = size_t{4} << 20;
};

} // namespace opcat::serve
