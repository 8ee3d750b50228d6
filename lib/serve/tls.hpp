// TLS of a server's listeners: certificates, which are reloaded when their files change.
#pragma once

#include "opcat/serve/metrics.hpp"
#include "opcat/serve/served_catalog.hpp"

#include <memory>
#include <mutex>
#include <string>

struct bufferevent;
struct event_base;

namespace opcat::serve {

// Files of PEM.
struct TlsFiles {
    std::string certificate; // the server's, followed by intermediate CAs
    std::string key;
    std::string client_ca; // CAs of clients, which then need a certificate; empty: they do not
};

class Tls {
public:
    // Throws Error if a file cannot be read, or the key does not match the certificate.
    explicit Tls(TlsFiles files);
    ~Tls();
    Tls(const Tls&) = delete;
    Tls& operator=(const Tls&) = delete;

    // The server's end of a connection that uses `protocol`; nullptr if there is not enough memory. `socket`
    // may be -1, and set later. Thread-safe.
    bufferevent* accept(event_base* base, int socket, Protocol protocol) const;

    // Returns true if accept() has made the connection. Thread-safe.
    static bool protects(bufferevent* connection);

    // Reloads the files if they have changed. Throws Error; connections then keep the earlier ones. Returns
    // whether they had changed.
    bool reload_if_changed();

    // Thread-safe.
    CertificateFigures figures() const;

private:
    struct Contexts;
    static std::shared_ptr<const Contexts> read(const TlsFiles& files);
    TreeState state() const;

    TlsFiles files_;
    TreeState state_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Contexts> contexts_;
    uint64_t load_errors_ = 0; // with problem_: as CertificateFigures
    std::string problem_;
};

} // namespace opcat::serve
