// The methods that a gRPC server answers: what they are called, what they are asked, who answers
// (docs/serving.md).
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

// Whether a call has to wait until there is a catalog.
bool needs_catalog(std::string_view path);
// Whether more than one request may come on a stream; each is answered then.
bool is_conversation(std::string_view path);
// The method as metrics name it: "Registry/GetPackage"; "other" for all that are not known.
std::string_view method_name(std::string_view path);

// `snapshot` may be null for calls that need no catalog.
GrpcAnswer answer_call(const GrpcCall& call, const std::shared_ptr<const RegistrySnapshot>& snapshot,
                       Serving serving);

// A message of grpc.health.v1.HealthCheckResponse.
std::string health_message(Serving serving);

} // namespace opcat::serve
