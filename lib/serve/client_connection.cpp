#include "opcat/serve/client_connection.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/platform.hpp"
#include "opcat/base/shared_library.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

using Clock = ClientConnection::Clock;

// Waits until the socket can be read or written; false when the time is over.
bool wait_for(int socket, short events, Clock::time_point deadline) {
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd waiting{socket, events, 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(std::max<int64_t>(0, left)));
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}

constexpr std::string_view too_late = "there was no connection in time";

// A connected socket, or why there is none.
Socket connect_to(const sockaddr* address, socklen_t size, Clock::time_point deadline, std::string& problem) {
    Socket socket(open_stream_socket(address->sa_family));
    int failure = errno;
    if (socket.get() >= 0) {
        failure = ::connect(socket.get(), address, size) == 0 ? 0 : errno;
        if (failure == EINPROGRESS) {
            if (!wait_for(socket.get(), POLLOUT, deadline)) {
                problem = too_late;
                return Socket();
            }
            socklen_t length = sizeof failure;
            ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &length);
        }
    }
    if (failure == 0) return socket;
    problem = system_message(failure);
    return Socket();
}

Socket connect_to(const Endpoint& endpoint, Clock::time_point deadline, std::string& problem) {
    if (!endpoint.unix_path.empty()) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        endpoint.unix_path.copy(address.sun_path, sizeof address.sun_path - 1);
        return connect_to(reinterpret_cast<sockaddr*>(&address), sizeof address, deadline, problem);
    }
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    // Without a name the loopback addresses, which a container without a name service has, too.
    const char* const host = endpoint.host.empty() ? nullptr : endpoint.host.c_str();
    if (const int failed = ::getaddrinfo(host, endpoint.port.c_str(), &wanted, &found)) {
        problem = ::gai_strerror(failed);
        return Socket();
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    for (const addrinfo* one = found; one; one = one->ai_next) {
        Socket socket = connect_to(one->ai_addr, one->ai_addrlen, deadline, problem);
        if (socket.get() < 0) continue;
        problem.clear(); // of the addresses before: "localhost" is ::1 first, where not every server listens
        return socket;
    }
    return Socket();
}

struct TlsClient {
    SharedLibrary library{library::ssl};
    OPCAT_MEMBER(SSL_CTX_free);
    OPCAT_MEMBER(SSL_CTX_load_verify_locations);
    OPCAT_MEMBER(SSL_CTX_new);
    OPCAT_MEMBER(SSL_CTX_set_alpn_protos);
    OPCAT_MEMBER(SSL_CTX_set_default_verify_paths);
    OPCAT_MEMBER(SSL_CTX_set_verify);
    OPCAT_MEMBER(SSL_CTX_use_PrivateKey_file);
    OPCAT_MEMBER(SSL_CTX_use_certificate_chain_file);
    OPCAT_MEMBER(SSL_connect);
    OPCAT_MEMBER(SSL_ctrl);
    OPCAT_MEMBER(SSL_free);
    OPCAT_MEMBER(SSL_get0_param);
    OPCAT_MEMBER(SSL_get_error);
    OPCAT_MEMBER(SSL_get_verify_result);
    OPCAT_MEMBER(SSL_new);
    OPCAT_MEMBER(SSL_read);
    OPCAT_MEMBER(SSL_set1_host);
    OPCAT_MEMBER(SSL_set_fd);
    OPCAT_MEMBER(SSL_write);
    OPCAT_MEMBER(TLS_client_method);
};

struct CertificateChecks {
    SharedLibrary library{library::crypto};
    OPCAT_MEMBER(ERR_clear_error);
    OPCAT_MEMBER(ERR_get_error);
    OPCAT_MEMBER(ERR_reason_error_string);
    OPCAT_MEMBER(X509_VERIFY_PARAM_set1_ip_asc);
    OPCAT_MEMBER(X509_verify_cert_error_string);
};

} // namespace

// One client of TLS. Sockets are not blocking, so each step may have to wait for one direction or the other.
struct ClientConnection::Session {
    TlsClient ssl;
    CertificateChecks crypto;
    std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context{nullptr, ssl.SSL_CTX_free};
    std::unique_ptr<SSL, decltype(&::SSL_free)> stream{nullptr, ssl.SSL_free};

    void require(bool good, std::string_view what, const std::string& file) const {
        if (!good) throw Error(fmt::format("cannot use the {} in {}: {}", what, file, reason()));
    }

    std::string reason() const {
        const char* const text = crypto.ERR_reason_error_string(crypto.ERR_get_error());
        return text ? text : "the connection broke";
    }

    // Throws Error for a file that cannot be used.
    void prepare(const ClientTls& files, const std::string& host, int socket) {
        context.reset(ssl.SSL_CTX_new(ssl.TLS_client_method()));
        if (!context) throw std::bad_alloc();
        constexpr std::array<unsigned char, 3> http2{2, 'h', '2'};
        ssl.SSL_CTX_set_alpn_protos(context.get(), http2.data(), http2.size());
        ssl.SSL_CTX_set_verify(context.get(), files.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
        if (files.ca.empty())
            ssl.SSL_CTX_set_default_verify_paths(context.get());
        else
            require(ssl.SSL_CTX_load_verify_locations(context.get(), files.ca.c_str(), nullptr) == 1, "CAs",
                    files.ca);
        if (!files.certificate.empty()) {
            require(ssl.SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) == 1,
                    "certificate", files.certificate);
            require(ssl.SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) == 1,
                    "key", files.key);
        }
        stream.reset(ssl.SSL_new(context.get()));
        if (!stream || ssl.SSL_set_fd(stream.get(), socket) != 1) throw std::bad_alloc();
        in6_addr ignored{};
        const bool is_address = ::inet_pton(AF_INET, host.c_str(), &ignored) == 1 ||
                                ::inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
        if (is_address) {
            crypto.X509_VERIFY_PARAM_set1_ip_asc(ssl.SSL_get0_param(stream.get()), host.c_str());
            return;
        }
        ssl.SSL_set1_host(stream.get(), host.c_str());
        ssl.SSL_ctrl(stream.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                     const_cast<char*>(host.c_str())); // only read
    }

    // Returns what `step` returns when it is above 0; 0 at the end, below 0 for a problem.
    template <typename Step>
    int run(int socket, Clock::time_point deadline, std::string& problem, Step step) const {
        while (true) {
            crypto.ERR_clear_error();
            const int done = step();
            if (done > 0) return done;
            const int error = ssl.SSL_get_error(stream.get(), done);
            if (error == SSL_ERROR_ZERO_RETURN) return 0;
            if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
                const long verified = ssl.SSL_get_verify_result(stream.get());
                problem = verified == X509_V_OK
                              ? reason()
                              : fmt::format("the certificate of the server is not trusted: {}",
                                            crypto.X509_verify_cert_error_string(verified));
                return -1;
            }
            if (!wait_for(socket, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline)) {
                problem = "there was no answer in time";
                return -1;
            }
        }
    }
};

ClientConnection::ClientConnection(const Endpoint& endpoint, const std::optional<ClientTls>& tls,
                                   std::chrono::milliseconds timeout, std::string& problem)
    : socket_(connect_to(endpoint, Clock::now() + timeout, problem)) {
    if (socket_.get() < 0 || !tls) return;
    tls_ = std::make_unique<Session>();
    const std::string& host = endpoint.host;
    const std::string& name = tls->server_name;
    tls_->prepare(*tls, !name.empty() ? name : host.empty() ? "localhost" : host, socket_.get());
    const auto connect = [&] { return tls_->ssl.SSL_connect(tls_->stream.get()); };
    if (tls_->run(socket_.get(), Clock::now() + timeout, problem, connect) == 0)
        problem = "the server closed the connection";
}

ClientConnection::~ClientConnection() = default;

ssize_t ClientConnection::receive(std::span<uint8_t> to, Clock::time_point deadline, std::string& problem) {
    if (tls_)
        return tls_->run(socket_.get(), deadline, problem, [&] {
            return tls_->ssl.SSL_read(tls_->stream.get(), to.data(), static_cast<int>(to.size()));
        });
    while (true) {
        if (!wait_for(socket_.get(), POLLIN, deadline)) {
            problem = "there was no answer in time";
            return -1;
        }
        const ssize_t size = ::recv(socket_.get(), to.data(), to.size(), 0);
        if (size >= 0) return size;
        if (errno == EINTR || errno == EAGAIN) continue;
        problem = system_message(errno);
        return -1;
    }
}

bool ClientConnection::send(std::span<const uint8_t> bytes, Clock::time_point deadline,
                            std::string& problem) {
    while (!bytes.empty()) {
        ssize_t sent = 0;
        if (tls_) {
            sent = tls_->run(socket_.get(), deadline, problem, [&] {
                return tls_->ssl.SSL_write(tls_->stream.get(), bytes.data(), static_cast<int>(bytes.size()));
            });
        } else if (wait_for(socket_.get(), POLLOUT, deadline)) {
            sent = send_without_signal(socket_.get(), bytes.data(), bytes.size());
            if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (sent < 0) problem = system_message(errno);
        } else {
            problem = "the server took nothing in time";
        }
        if (sent <= 0) return false;
        bytes = bytes.subspan(static_cast<size_t>(sent));
    }
    return true;
}

} // namespace opcat::serve
