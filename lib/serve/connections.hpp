// The connections of a listener and the ports that they come through, for http_listener.hpp and
// grpc_listener.hpp. All of it belongs to the thread of the loop.
#pragma once

#include "opcat/serve/acceptor.hpp"
#include "opcat/serve/event_loop.hpp"
#include "opcat/serve/places.hpp"
#include "opcat/serve/tls.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opcat::serve {

template <class Connection>
class Connections {
public:
    // `tls`: nullptr: connections are plain. All of these outlive the object.
    Connections(EventLoop& loop, Places& places, const Tls* tls, Protocol protocol)
        : loop_(loop), places_(places), tls_(tls), protocol_(protocol) {}

    void listen(Socket socket, Acceptor::Accept accept) {
        ports_.push_back(std::make_unique<Acceptor>(loop_, places_, std::move(socket), std::move(accept)));
    }

    // Adds what `make` makes of a socket and its place. Null: there is not enough memory, and the socket is
    // closed.
    template <class Make>
    std::shared_ptr<Connection> add(Socket socket, const std::string& client, const Make& make) {
        OwnedConnection transport(
            tls_ ? tls_->accept(loop_.base(), socket.get(), protocol_)
                 : libevent().bufferevent_socket_new(loop_.base(), socket.get(), BEV_OPT_CLOSE_ON_FREE));
        if (!transport) return nullptr;
        socket.release();
        try {
            // The place may go on another thread, before the connection is made.
            const auto self = std::make_shared<std::weak_ptr<Connection>>();
            auto place = places_.admit(client, [this, self] {
                loop_.post([this, self] {
                    if (const auto connection = self->lock()) remove(connection.get());
                });
            });
            std::shared_ptr<Connection> connection = make(std::move(transport), std::move(place));
            *self = connection;
            all_.emplace(connection.get(), connection);
            return connection;
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }

    void remove(Connection* connection) { all_.erase(connection); }
    void clear() { all_.clear(); }

    // An action may remove its connection.
    template <class Action>
    void for_each(const Action& action) {
        for (auto next = all_.begin(); next != all_.end();) {
            const std::shared_ptr<Connection> connection = (next++)->second;
            action(*connection);
        }
    }

    bool is_busy() const {
        return std::any_of(all_.begin(), all_.end(), [](const auto& item) { return item.second->is_busy(); });
    }

    // Regularly: a port that the system has refused to watch is closed now, and opened by the next call.
    void watch_ports() {
        const bool refused = std::exchange(refusals_, EventLoop::refusals()) != EventLoop::refusals();
        for (const auto& port : ports_) port->pause(closed_ || refused);
    }
    void close_ports() {
        closed_ = true;
        for (const auto& port : ports_) port->pause(true);
    }

private:
    EventLoop& loop_;
    Places& places_;
    const Tls* tls_;
    Protocol protocol_;
    std::unordered_map<Connection*, std::shared_ptr<Connection>> all_;
    std::vector<std::unique_ptr<Acceptor>> ports_;
    size_t refusals_ = 0; // until the last watch_ports()
    bool closed_ = false;
};

} // namespace opcat::serve
