// The connection of a client of gRPC, plain or with TLS.
#pragma once

#include "opcat/serve/endpoint.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace opcat::serve {

// The TLS settings of a client. Files are PEM.
struct ClientTls {
    std::string ca;          // CAs of servers; empty: the system's
    std::string certificate; // its own; empty: none
    std::string key;
    std::string server_name; // the name in the certificate; empty: the endpoint's host
    bool verify = true;
};

class ClientConnection {
public:
    using Clock = std::chrono::steady_clock;

    // An endpoint without a host is this machine; without `tls` the connection is plain. `problem` receives
    // why there is no connection within the timeout, if there is none. Throws Error for a TLS file that
    // cannot be used.
    ClientConnection(const Endpoint& endpoint, const std::optional<ClientTls>& tls,
                     std::chrono::milliseconds timeout, std::string& problem);
    ~ClientConnection();
    ClientConnection(const ClientConnection&) = delete;
    ClientConnection& operator=(const ClientConnection&) = delete;

    // The number of bytes received; 0 at the end, below 0 for a problem.
    ssize_t receive(std::span<uint8_t> to, Clock::time_point deadline, std::string& problem);
    // All of them, or a problem.
    bool send(std::span<const uint8_t> bytes, Clock::time_point deadline, std::string& problem);

private:
    struct Session;

    Socket socket_;
    std::unique_ptr<Session> tls_; // null: plain
};

} // namespace opcat::serve
