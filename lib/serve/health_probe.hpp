// Asking a gRPC server for its health, as probes in containers do.
#pragma once

#include "opcat/serve/endpoint.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace opcat::serve {

struct HealthQuestion {
    Endpoint endpoint; // without a host: this machine
    std::string service;
    std::chrono::milliseconds connect_timeout{1000};
    std::chrono::milliseconds call_timeout{1000};
};

enum class Health : uint8_t { serving, not_serving, unreachable, failed };

struct HealthAnswer {
    Health health = Health::failed;
    std::string problem; // why it is unreachable, or the call failed
};

// Over plain HTTP/2. Waits no longer than the timeouts.
HealthAnswer ask_for_health(const HealthQuestion& question);

} // namespace opcat::serve
