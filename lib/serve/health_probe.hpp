// Asks a gRPC server for its health, like probes in containers.
#pragma once

#include "opcat/serve/client_connection.hpp"
#include "opcat/serve/endpoint.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace opcat::serve {

struct HealthQuestion {
    Endpoint endpoint; // without a host: this machine
    std::string service;
    std::optional<ClientTls> tls = std::nullopt; // nothing: the connection is plain
    std::chrono::milliseconds connect_timeout{1000};
    std::chrono::milliseconds call_timeout{1000};
};

enum class Health : uint8_t { serving, not_serving, unreachable, failed };

struct HealthAnswer {
    Health health = Health::failed;
    std::string problem; // why it is unreachable, or the call failed
};

// Over HTTP/2, within the timeouts. Throws Error for a TLS file that cannot be used.
HealthAnswer ask_for_health(const HealthQuestion& question);

} // namespace opcat::serve
