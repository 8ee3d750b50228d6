// The methods of the gRPC server: their names, requests and answers (docs/serving.md).
#pragma once

#include "opcat/serve/grpc_answer.hpp"
#include "opcat/serve/registry_snapshot.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace opcat::serve {

struct GrpcCall {
    std::string path;    // "/api.Registry/GetPackage"
    std::string message; // of the request, not compressed
    bool acknowledges_experimental = false;
};

enum class Serving : uint8_t { loading, ready, ending };

// Returns true if a call must wait until there is a catalog.
bool needs_catalog(std::string_view path);
// Returns true if a call asks once for the state of health.
bool is_health_check(std::string_view path);
// Returns true if a stream may have more than one request; each is answered separately.
bool is_conversation(std::string_view path);
// The method's name in metrics: "Registry/GetPackage"; "other" for all unknown ones.
std::string_view method_name(std::string_view path);

// `snapshot` may be null for calls that do not need a catalog.
GrpcAnswer answer_call(const GrpcCall& call, const std::shared_ptr<const RegistrySnapshot>& snapshot,
                       Serving serving);

// A message of grpc.health.v1.HealthCheckResponse.
std::string health_message(Serving serving);

} // namespace opcat::serve
