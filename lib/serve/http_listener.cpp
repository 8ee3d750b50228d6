#include "opcat/serve/http_listener.hpp"

#include "opcat/serve/http_connection.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

constexpr std::chrono::milliseconds http_tick{100};

} // namespace

HttpListener::HttpListener(EventLoop& loop, HttpHandler handler, const Limits& limits, Metrics& metrics,
                           Places& places, Budget& budget, const Tls* tls)
    : loop_(loop), handler_(std::move(handler)), limits_(limits), metrics_(metrics), places_(places),
      budget_(budget), tls_(tls), timer_(loop, http_tick, [this] { tick(); }) {}

HttpListener::~HttpListener() = default;

void HttpListener::listen(Socket socket) {
    acceptors_.push_back(std::make_unique<Acceptor>(
        loop_, places_, std::move(socket),
        [this](Socket accepted, const std::string& client) { accept(std::move(accepted), client); }));
    timer_.start();
}

void HttpListener::accept(Socket socket, const std::string& client) {
    OwnedConnection transport(
        tls_ ? tls_->accept(loop_.base(), socket.get(), Protocol::http)
             : libevent().bufferevent_socket_new(loop_.base(), socket.get(), BEV_OPT_CLOSE_ON_FREE));
    if (!transport) return;
    socket.release();
    try {
        // The place may go on another thread, before the connection is made.
        const auto self = std::make_shared<std::weak_ptr<Connection>>();
        auto place = places_.admit(client, [this, self] {
            loop_.post([this, self] {
                if (const auto connection = self->lock()) remove(connection.get());
            });
        });
        const auto connection = std::make_shared<Connection>(*this, std::move(transport), std::move(place));
        *self = connection;
        connections_.emplace(connection.get(), connection);
    } catch (const std::bad_alloc&) { // it is closed
    }
}

// An action may remove its connection.
template <class Action>
void HttpListener::for_each_connection(const Action& action) {
    for (auto next = connections_.begin(); next != connections_.end();) {
        const std::shared_ptr<Connection> connection = (next++)->second;
        action(*connection);
    }
}

void HttpListener::tick() {
    // A port that the system has refused to watch is closed now, and opened by the next tick.
    const bool refused = std::exchange(refusals_, EventLoop::refusals()) != EventLoop::refusals();
    for (const auto& acceptor : acceptors_) acceptor->pause(draining_ || refused);
    const auto now = std::chrono::steady_clock::now();
    for_each_connection([&](Connection& connection) { connection.check_times(now); });
}

void HttpListener::catalogs_changed(bool replaced) {
    for_each_connection([&](Connection& connection) { connection.catalogs_changed(replaced); });
}

void HttpListener::begin_drain() {
    draining_ = true;
    for (const auto& acceptor : acceptors_) acceptor->pause(true);
    catalogs_changed(false);
}

bool HttpListener::is_busy() const {
    return std::any_of(connections_.begin(), connections_.end(),
                       [](const auto& item) { return item.second->is_busy(); });
}

} // namespace opcat::serve
