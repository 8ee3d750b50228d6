#include "opcat/serve/grpc_answer.hpp"

#include <utility>

namespace opcat::serve {

std::string_view to_string(GrpcStatus status) {
    switch (status) {
    case GrpcStatus::ok:
        return "OK";
    case GrpcStatus::cancelled:
        return "CANCELLED";
    case GrpcStatus::unknown:
        return "UNKNOWN";
    case GrpcStatus::invalid_argument:
        return "INVALID_ARGUMENT";
    case GrpcStatus::deadline_exceeded:
        return "DEADLINE_EXCEEDED";
    case GrpcStatus::not_found:
        return "NOT_FOUND";
    case GrpcStatus::resource_exhausted:
        return "RESOURCE_EXHAUSTED";
    case GrpcStatus::unimplemented:
        return "UNIMPLEMENTED";
    case GrpcStatus::internal:
        return "INTERNAL";
    case GrpcStatus::unavailable:
        break;
    }
    return "UNAVAILABLE";
}

std::string message_prefix(uint64_t size) {
    std::string prefix(1, '\0');
    for (unsigned shift = 32; shift > 0; shift -= 8)
        prefix += static_cast<char>((size >> (shift - 8)) & 0xffU);
    return prefix;
}

void GrpcAnswer::add_message(std::initializer_list<std::string_view> parts) {
    uint64_t size = 0;
    for (const std::string_view part : parts) size += part.size();
    const auto prefix = std::make_shared<const std::string>(message_prefix(size));
    body.push_back(*prefix);
    owners.push_back(prefix);
    for (const std::string_view part : parts)
        if (!part.empty()) body.push_back(part);
}

void GrpcAnswer::add_message(std::string_view text) {
    const auto owned = std::make_shared<const std::string>(message_prefix(text.size()).append(text));
    own_text += owned->size();
    body.push_back(*owned);
    owners.push_back(owned);
}

GrpcAnswer failure(GrpcStatus status, std::string message) {
    return {.status = status, .message = std::move(message)};
}

} // namespace opcat::serve
