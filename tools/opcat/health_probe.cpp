#include "health_probe.hpp"

#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/serve/health_probe.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>

namespace opcat {
namespace {

// The statuses of grpc_health_probe.
enum ProbeStatus : int { healthy = 0, wrong_usage = 1, no_connection = 2, call_failed = 3, unhealthy = 4 };

constexpr std::string_view usage =
    "usage: grpc_health_probe -addr=[HOST]:PORT [-service=NAME] [-connect-timeout=1s] [-rpc-timeout=1s]\n"
    "\n"
    "Asks a gRPC server for its health, over plain HTTP/2. Exit status: 0 serving, 1 wrong usage, 2 no\n"
    "connection, 3 the call failed, 4 not serving.\n";

std::chrono::milliseconds duration(std::string_view flag, std::string_view text) {
    if (const auto time = duration_of(text)) return *time;
    throw RequestError(fmt::format("-{} takes a duration, such as 5s, not \"{}\"", flag, text));
}

// As Go's package flag reads them: one dash or two, the value after '=' or a blank.
serve::HealthQuestion parse(std::span<const char* const> words) {
    serve::HealthQuestion question;
    bool has_address = false;
    for (size_t i = 0; i < words.size(); ++i) {
        std::string_view flag = words[i];
        if (!flag.starts_with('-')) throw RequestError(fmt::format("there is no argument \"{}\"", flag));
        flag.remove_prefix(flag.starts_with("--") ? 2 : 1);
        const size_t equals = flag.find('=');
        std::optional<std::string_view> value;
        if (equals != flag.npos) {
            value = flag.substr(equals + 1);
            flag = flag.substr(0, equals);
        }
        const bool known =
            flag == "addr" || flag == "service" || flag == "connect-timeout" || flag == "rpc-timeout";
        if (!known) throw RequestError(fmt::format("there is no flag -{}", flag));
        if (!value) {
            if (++i == words.size()) throw RequestError(fmt::format("-{} needs a value", flag));
            value = words[i];
        }
        if (flag == "addr") {
            question.endpoint = serve::Endpoint::parse(*value);
            has_address = true;
        } else if (flag == "service") {
            question.service = *value;
        } else {
            (flag == "rpc-timeout" ? question.call_timeout : question.connect_timeout) =
                duration(flag, *value);
        }
    }
    if (!has_address) throw RequestError("-addr is missing");
    return question;
}

} // namespace

int probe_health(std::span<const char* const> words, Session& session) {
    try {
        const serve::HealthAnswer answer = serve::ask_for_health(parse(words));
        switch (answer.health) {
        case serve::Health::serving:
            session.print("status: SERVING\n");
            return healthy;
        case serve::Health::not_serving:
            session.print("status: NOT_SERVING\n");
            return unhealthy;
        case serve::Health::unreachable:
            session.print_error("cannot connect: " + answer.problem);
            return no_connection;
        case serve::Health::failed:
            break;
        }
        session.print_error("the call failed: " + answer.problem);
        return call_failed;
    } catch (const RequestError& error) {
        session.print_error(error.what());
        session.print(usage);
        return wrong_usage;
    } catch (const Error& error) {
        session.print_error(error.what(), error.hint());
        return call_failed;
    }
}

} // namespace opcat
