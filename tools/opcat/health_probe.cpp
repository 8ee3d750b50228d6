#include "health_probe.hpp"

#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/serve/health_probe.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace opcat {
namespace {

// The statuses of grpc_health_probe.
enum ProbeStatus : int { healthy = 0, wrong_usage = 1, no_connection = 2, call_failed = 3, unhealthy = 4 };

constexpr std::string_view usage =
    "usage: grpc_health_probe -addr=[HOST]:PORT|unix:PATH [-service=NAME] [-connect-timeout=1s]\n"
    "           [-rpc-timeout=1s] [-tls [-tls-ca-cert=FILE] [-tls-client-cert=FILE -tls-client-key=FILE]\n"
    "            [-tls-server-name=NAME] [-tls-no-verify]]\n"
    "\n"
    "Asks a gRPC server for its health. Exit status: 0 serving, 1 wrong usage, 2 no connection, 3 the call\n"
    "failed, 4 not serving.\n";

std::chrono::milliseconds duration(std::string_view flag, std::string_view text) {
    if (const auto time = duration_of(text)) return *time;
    throw RequestError(fmt::format("-{} takes a duration, such as 5s, not \"{}\"", flag, text));
}

bool boolean(std::string_view flag, std::string_view text) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    throw RequestError(fmt::format("-{} takes true or false, not \"{}\"", flag, text));
}

// As Go's package flag parses them: one dash or two, the value after '=' or a blank; that of a boolean only
// after '='.
serve::HealthQuestion parse(std::span<const char* const> words) {
    serve::HealthQuestion question;
    serve::ClientTls tls;
    std::string address;
    bool use_tls = false;
    bool no_verify = false;
    const std::map<std::string_view, std::string*> texts = {
        {"addr", &address},           {"service", &question.service},
        {"tls-ca-cert", &tls.ca},     {"tls-client-cert", &tls.certificate},
        {"tls-client-key", &tls.key}, {"tls-server-name", &tls.server_name},
    };
    const std::map<std::string_view, bool*> switches = {{"tls", &use_tls}, {"tls-no-verify", &no_verify}};
    const std::map<std::string_view, std::chrono::milliseconds*> times = {
        {"connect-timeout", &question.connect_timeout}, {"rpc-timeout", &question.call_timeout}};
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
        if (const auto found = switches.find(flag); found != switches.end()) {
            *found->second = boolean(flag, value.value_or("true"));
            continue;
        }
        const auto text = texts.find(flag);
        const auto time = times.find(flag);
        if (text == texts.end() && time == times.end())
            throw RequestError(fmt::format("there is no flag -{}", flag));
        if (!value) {
            if (++i == words.size()) throw RequestError(fmt::format("-{} needs a value", flag));
            value = words[i];
        }
        if (text != texts.end())
            *text->second = *value;
        else
            *time->second = duration(flag, *value);
    }
    if (address.empty()) throw RequestError("-addr is missing");
    question.endpoint = serve::Endpoint::parse(address);
    if (tls.certificate.empty() != tls.key.empty())
        throw RequestError("-tls-client-cert and -tls-client-key belong together");
    tls.verify = !no_verify;
    if (use_tls)
        question.tls = tls;
    else if (no_verify || !tls.ca.empty() || !tls.certificate.empty() || !tls.server_name.empty())
        throw RequestError("the other flags of TLS need -tls");
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
        session.print_lines(usage);
        return wrong_usage;
    } catch (const Error& error) {
        session.print_error(error.what(), error.hint());
        return call_failed;
    }
}

} // namespace opcat
