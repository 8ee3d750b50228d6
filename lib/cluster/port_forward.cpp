#include "opcat/cluster/port_forward.hpp"

#include "opcat/base/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace opcat::cluster {
namespace {

bool is_port(std::string_view text) {
    return !text.empty() && text.size() <= 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "people.olm.svc:50051", with or without the cluster's domain.
std::optional<ForwardTarget> service_at(std::string_view address) {
    const size_t colon = address.rfind(':');
    const std::string_view host = address.substr(0, colon);
    const size_t dot = host.find('.');
    if (colon == address.npos || dot == host.npos || !is_port(address.substr(colon + 1))) return std::nullopt;
    const std::string_view rest = host.substr(dot + 1);
    const size_t end = rest.find(".svc");
    if (end == rest.npos || (end + 4 != rest.size() && rest[end + 4] != '.')) return std::nullopt;
    const std::string ns(rest.substr(0, end));
    const std::string name(host.substr(0, dot));
    require_namespace(ns);
    require_name("services", name);
    return ForwardTarget{ns, "service/" + name, std::string(address.substr(colon + 1))};
}

bool runs(const Object& pod) {
    return pod.text("status", "phase") == "Running" && pod.text("metadata", "deletionTimestamp").empty();
}

std::vector<std::string> command_line(const Kubectl& kubectl, const ForwardTarget& target) {
    return kubectl.command_line({"port-forward", "--namespace=" + target.ns, "--address=127.0.0.1",
                                 "--pod-running-timeout=5s", target.resource, ":" + target.port});
}

} // namespace

std::optional<ForwardTarget> registry_of(const Object& catalog_source, std::span<const Object> pods) {
    std::string_view address = catalog_source.text("status", "connectionState", "address");
    if (address.empty()) address = catalog_source.text("spec", "address");
    std::optional<ForwardTarget> target = service_at(address);
    // Without the Service kubectl asks once less.
    if (target && catalog_source.text("spec", "address").empty())
        for (const Object& pod : pods)
            if (pod.ns == catalog_source.ns && pod.label("olm.catalogSource") == catalog_source.name &&
                runs(pod)) {
                target->resource = "pod/" + pod.name;
                break;
            }
    return target;
}

PortForward::PortForward(const Kubectl& kubectl, const ForwardTarget& target)
    : program_(command_line(kubectl, target)) {
    const std::string doing = fmt::format("forward a port to {} in namespace {}", target.resource, target.ns);
    std::string line;
    try {
        line = program_.read_line(kubectl.options().call_timeout);
    } catch (const Error& error) {
        Failure failure = classify(program_.errors());
        if (failure.message.empty()) failure.message = error.what();
        throw KubectlError(doing, std::move(failure));
    }
    // Forwarding from 127.0.0.1:40001 -> 50051
    constexpr std::string_view start = "Forwarding from 127.0.0.1:";
    port_ = line.substr(std::min(start.size(), line.size()));
    port_.resize(std::min(port_.find(' '), port_.size()));
    if (!line.starts_with(start) || !is_port(port_))
        throw Error(fmt::format("cannot {}: kubectl printed \"{}\"", doing, line));
}

} // namespace opcat::cluster
