// TLS of a server's listeners: certificates, which are read anew when their files change.
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
    std::string
        certificate; // the server's, with those of the CAs between it and the clients' trusted ones after it
    std::string key;
    std::string client_ca; // of clients, which then need a certificate; empty: they need none
};

class Tls {
public:
    // Throws Error if a file cannot be read, or the key is another certificate's.
    explicit Tls(TlsFiles files);
    ~Tls();
    Tls(const Tls&) = delete;
    Tls& operator=(const Tls&) = delete;

    // The server's end of a connection that speaks `protocol`; nullptr if there is not enough memory.
    // `socket` may be -1, and set later. May be called from several threads.
    bufferevent* accept(event_base* base, int socket, Protocol protocol) const;

    // Reads the files anew if they have changed. Throws Error; connections then get what was read before.
    // Returns whether they had changed.
    bool reload_if_changed();

private:
    struct Contexts;
    static std::shared_ptr<const Contexts> read(const TlsFiles& files);
    TreeState state() const;

    TlsFiles files_;
    TreeState state_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Contexts> contexts_;
};

} // namespace opcat::serve
