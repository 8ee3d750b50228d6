// The places where a server listens: addresses from the command line, and their sockets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opcat::serve {

// A file descriptor that is closed with the object.
class Socket {
public:
    explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
    ~Socket();
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&& other) noexcept;

    int get() const { return descriptor_; }
    int release();

private:
    int descriptor_;
};

struct Endpoint {
    std::string host;      // empty: all interfaces, of IPv4 and IPv6
    std::string port;      // a number, or the name of a service
    std::string unix_path; // not empty: a socket in the file system; host and port are ignored

    // "8080", ":8080", "localhost:8080", "[::1]:8080", "unix:PATH". Throws RequestError.
    static Endpoint parse(std::string_view text);
    // As parse() takes it.
    std::string to_text() const;
};

// `count` listening sockets for one endpoint, among which the kernel divides the connections; the first
// address of a name is used. Port 0 becomes a free one; `endpoint` is then changed. Throws Error if the
// address is not available: another program uses it, or the user may not.
std::vector<Socket> listen_at(Endpoint& endpoint, unsigned count);

} // namespace opcat::serve
