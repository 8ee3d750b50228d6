// The answer to a gRPC call: messages, and a status after them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::serve {

// Numbers of gRPC's statuses (grpc.io/docs/guides/status-codes).
enum class GrpcStatus : uint8_t {
    ok = 0,
    cancelled = 1,
    unknown = 2,
    invalid_argument = 3,
    deadline_exceeded = 4,
    not_found = 5,
    resource_exhausted = 8,
    unimplemented = 12,
    internal = 13,
    unavailable = 14,
};
std::string_view to_string(GrpcStatus status); // "OK", "NOT_FOUND"

struct GrpcAnswer {
    GrpcStatus status = GrpcStatus::ok;
    std::string message = {}; // of a status that is not ok
    // The messages in wire format, each after its five bytes (compressed or not, length).
    std::vector<std::string_view> body = {};
    // In place of `body`, for an answer that many calls share.
    const std::vector<std::string_view>* shared_body = nullptr;
    std::vector<std::shared_ptr<const void>> owners = {}; // of memory that the body refers to
    bool stays_open = false;                              // more messages may follow: a watch
    size_t own_text = 0;                                  // bytes of the body that only this answer holds

    const std::vector<std::string_view>& pieces() const { return shared_body ? *shared_body : body; }

    // A message that consists of parts whose memory `owners` keep alive.
    void add_message(std::initializer_list<std::string_view> parts);
    // A message of its own.
    void add_message(std::string_view text);
};

GrpcAnswer failure(GrpcStatus status, std::string message);

// The five bytes before a message that is not compressed.
std::string message_prefix(uint64_t size);

} // namespace opcat::serve
