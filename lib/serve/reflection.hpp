// gRPC server reflection: describes the API to generic clients (grpc.reflection.v1, v1alpha).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opcat::serve {

// The ServerReflectionResponse to a ServerReflectionRequest, both in the wire format. Nothing if the request
// cannot be decoded.
std::optional<std::string> reflection_response(std::string_view request);

} // namespace opcat::serve
