// Reads what an Operator Registry serves (docs/serving.md).
#pragma once

#include "opcat/serve/endpoint.hpp"

#include <chrono>
#include <string>

namespace opcat::serve {

// Limits of what is read of a registry.
namespace registry_limits {
inline constexpr size_t message = size_t{16} << 20;  // bytes of one bundle; OLM's own client reads 4 MiB
inline constexpr size_t answers = size_t{256} << 20; // bytes in all
inline constexpr size_t entries = 1'000'000;         // bundles, for each channel that has them
} // namespace registry_limits

struct RegistryQuestion {
    Endpoint endpoint;                          // without a host: this machine
    std::chrono::milliseconds silence{30'000};  // without a byte from the server
    std::chrono::milliseconds timeout{300'000}; // for all of it
};

// Asks for all bundles in all channels, and then for all packages at once: what OLM classic asks for before
// it resolves. The result is a catalog in the file-based format, as JSON, with the upgrade edges, properties
// and deprecations that OLM sees; manifests only of bundles without an image. Throws Error if the server
// cannot be reached, does not answer in time, or answers what is not valid or exceeds a limit.
std::string read_registry(const RegistryQuestion& question);

} // namespace opcat::serve
