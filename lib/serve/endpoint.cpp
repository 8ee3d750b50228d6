#include "opcat/serve/endpoint.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

namespace opcat::serve {
namespace {

constexpr std::string_view unix_prefix = "unix:";
// Connections that wait to be accepted; the kernel has a limit of its own (net.core.somaxconn).
constexpr int backlog = 4096;

[[noreturn]] void fail(const Endpoint& endpoint, const std::string& why, const std::string& hint = {}) {
    throw Error(fmt::format("cannot listen on {}: {}", endpoint.to_text(), why), hint);
}

[[noreturn]] void fail(const Endpoint& endpoint, int error_number) {
    fail(endpoint, system_message(error_number),
         error_number == EADDRINUSE && !endpoint.unix_path.empty()
             ? "the path exists already: remove it if nothing uses it, or choose another one"
         : error_number == EADDRINUSE ? "another program listens there: stop it, or choose another port"
         : error_number == EACCES     ? "ports below 1024 are for the administrator: choose another"
                                      : "");
}

struct Address {
    sockaddr_storage bytes{};
    socklen_t size = 0;

    sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
    int family() const { return bytes.ss_family; }
};

Address address_of(const Endpoint& endpoint) {
    Address address;
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    // All interfaces: IPv6, whose sockets take IPv4 as well, unless the machine has none.
    const bool has_ipv6 = Socket(open_stream_socket(AF_INET6)).get() >= 0;
    // getaddrinfo() takes larger ports modulo 65536.
    const std::string_view port = endpoint.port;
    unsigned number = 0; // unless it is the name of a service
    const auto [end, wrong] = std::from_chars(port.data(), port.data() + port.size(), number);
    const bool too_large = end == port.data() + port.size() && (wrong != std::errc() || number > UINT16_MAX);
    const char* const host = endpoint.host.empty() ? nullptr : endpoint.host.c_str();
    const int failed = too_large ? EAI_SERVICE : ::getaddrinfo(host, endpoint.port.c_str(), &wanted, &found);
    if (failed == EAI_SERVICE) fail(endpoint, "there is no such port", "ports are numbers up to 65535");
    if (failed)
        fail(endpoint, failed == EAI_SYSTEM ? system_message(errno) : ::gai_strerror(failed),
             "an address is [HOST]:PORT or unix:PATH");
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    const addrinfo* chosen = found;
    if (!host && has_ipv6)
        for (const addrinfo* one = found->ai_next; one; one = one->ai_next)
            if (one->ai_family == AF_INET6) chosen = one;
    std::memcpy(&address.bytes, chosen->ai_addr, chosen->ai_addrlen);
    address.size = chosen->ai_addrlen;
    return address;
}

Socket open_socket(const Endpoint& endpoint, int family) {
    Socket opened(open_stream_socket(family));
    if (opened.get() < 0) fail(endpoint, errno);
    return opened;
}

void set(const Socket& socket, int level, int option, int value) {
    ::setsockopt(socket.get(), level, option, &value, sizeof value); // all of them are only improvements
}

Socket bind_tcp(const Endpoint& endpoint, const Address& address, bool shared) {
    Socket bound = open_socket(endpoint, address.family());
    set(bound, SOL_SOCKET, SO_REUSEADDR, 1);
    if (shared) set(bound, SOL_SOCKET, SO_REUSEPORT, 1);
    if (address.family() == AF_INET6) set(bound, IPPROTO_IPV6, IPV6_V6ONLY, endpoint.host.empty() ? 0 : 1);
    // Accepted sockets inherit these. A client that has gone without a word is noticed after two minutes,
    // also where it only watches.
    set(bound, IPPROTO_TCP, TCP_NODELAY, 1);
    set(bound, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    set(bound, IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set(bound, IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set(bound, IPPROTO_TCP, TCP_KEEPCNT, 4);
#endif
    if (::bind(bound.get(), address.get(), address.size) != 0) fail(endpoint, errno);
    return bound;
}

void start_listening(const Endpoint& endpoint, const Socket& socket) {
    if (::listen(socket.get(), backlog) != 0) fail(endpoint, errno);
}

std::vector<Socket> listen_at_path(const Endpoint& endpoint, unsigned count) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (endpoint.unix_path.size() >= sizeof address.sun_path)
        fail(endpoint, fmt::format("the path is longer than {} bytes", sizeof address.sun_path - 1));
    std::memcpy(address.sun_path, endpoint.unix_path.data(), endpoint.unix_path.size());
    // A socket that a server left which was killed; nobody accepts there.
    struct stat status {};
    if (::lstat(endpoint.unix_path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
        const Socket probe = open_socket(endpoint, AF_UNIX);
        if (::connect(probe.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 &&
            errno == ECONNREFUSED)
            ::unlink(endpoint.unix_path.c_str());
    }
    std::vector<Socket> sockets;
    sockets.push_back(open_socket(endpoint, AF_UNIX));
    if (::bind(sockets[0].get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        fail(endpoint, errno);
    start_listening(endpoint, sockets[0]);
    while (sockets.size() < count) {
        sockets.emplace_back(::dup(sockets[0].get()));
        if (sockets.back().get() < 0) fail(endpoint, errno);
    }
    return sockets;
}

} // namespace

Socket::~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Socket::Socket(Socket&& other) noexcept : descriptor_(other.release()) {}

Socket& Socket::operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

int Socket::release() {
    return std::exchange(descriptor_, -1);
}

Endpoint Endpoint::parse(std::string_view text) {
    Endpoint endpoint;
    if (text.starts_with(unix_prefix)) {
        endpoint.unix_path = text.substr(unix_prefix.size());
        if (endpoint.unix_path.empty()) throw RequestError("the address unix: has no path");
        return endpoint;
    }
    const size_t colon = text.rfind(':');
    const std::string_view port = colon == text.npos ? text : text.substr(colon + 1);
    std::string_view host = colon == text.npos ? std::string_view() : text.substr(0, colon);
    const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (in_brackets) host = host.substr(1, host.size() - 2);
    if (port.empty() || (!in_brackets && host.find(':') != host.npos))
        throw RequestError(fmt::format("\"{}\" is not an address to listen on", text),
                           "write [HOST]:PORT, such as :8080, localhost:8080 or [::1]:8080, or unix:PATH");
    endpoint.host = host;
    endpoint.port = port;
    return endpoint;
}

std::string Endpoint::to_text() const {
    if (!unix_path.empty()) return std::string(unix_prefix) + unix_path;
    return host.find(':') == host.npos ? host + ":" + port : "[" + host + "]:" + port;
}

std::vector<Socket> listen_at(Endpoint& endpoint, unsigned count) {
    if (!endpoint.unix_path.empty()) return listen_at_path(endpoint, count);
    Address address = address_of(endpoint);
    // A socket that shares its port shares it with any other that asks for that: a second server of the same
    // user would take a part of the connections. So one that does not share is bound first, and then closed.
    const bool shared = count > 1;
    Socket first = bind_tcp(endpoint, address, false);
    if (::getsockname(first.get(), address.get(), &address.size) != 0) fail(endpoint, errno);
    const in_port_t port = address.family() == AF_INET6
                               ? reinterpret_cast<sockaddr_in6*>(&address.bytes)->sin6_port
                               : reinterpret_cast<sockaddr_in*>(&address.bytes)->sin_port;
    endpoint.port = std::to_string(ntohs(port));

    std::vector<Socket> sockets;
    if (!shared) {
        sockets.push_back(std::move(first));
    } else {
        first = Socket();
        while (sockets.size() < count) sockets.push_back(bind_tcp(endpoint, address, true));
    }
    for (const Socket& socket : sockets) start_listening(endpoint, socket);
    return sockets;
}

} // namespace opcat::serve
