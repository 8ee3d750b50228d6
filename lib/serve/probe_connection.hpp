// The connection of a health probe, plain or with TLS, for health_probe.cpp.
#pragma once

#include "opcat/serve/endpoint.hpp"
#include "opcat/serve/health_probe.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace opcat::serve {

class ProbeConnection {
public:
    using Clock = std::chrono::steady_clock;

    // `problem` receives why there is no connection, if there is none. Throws Error for a TLS file that
    // cannot be used.
    ProbeConnection(const HealthQuestion& question, std::string& problem);
    ~ProbeConnection();
    ProbeConnection(const ProbeConnection&) = delete;
    ProbeConnection& operator=(const ProbeConnection&) = delete;

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
