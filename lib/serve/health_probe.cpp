#include "opcat/serve/health_probe.hpp"

#include "opcat/serve/grpc_client.hpp"
#include "opcat/serve/protobuf.hpp"

#include <fmt/core.h>

#include <string_view>

namespace opcat::serve {
namespace {

bool is_serving(std::string_view answer) {
    constexpr uint64_t serving = 1;
    protobuf::Reader reader(answer);
    uint64_t status = 0;
    while (const auto field = reader.next())
        if (field->number == 1) status = field->varint;
    return status == serving && !reader.failed();
}

} // namespace

HealthAnswer ask_for_health(const HealthQuestion& question) {
    std::string problem;
    ClientConnection connection(question.endpoint, question.tls, question.connect_timeout, problem);
    if (!problem.empty()) return {Health::unreachable, problem};
    std::string request;
    protobuf::append_string(request, 1, question.service);
    std::string answer;
    ClientCall call{.path = "/grpc.health.v1.Health/Check",
                    .request = std::move(request),
                    .take = [&](std::string_view message) { answer = message; }};
    GrpcClient client(connection, question.endpoint, question.tls.has_value(),
                      {.message = 1024, .answers = 4096});
    problem = client.run({&call, 1}, GrpcClient::Clock::now() + question.call_timeout, question.call_timeout);
    if (!problem.empty()) return {Health::failed, problem};
    if (call.status != "0")
        return {Health::failed, fmt::format("status {}: {}", call.status, call.status_message)};
    return {is_serving(answer) ? Health::serving : Health::not_serving, {}};
}

} // namespace opcat::serve
