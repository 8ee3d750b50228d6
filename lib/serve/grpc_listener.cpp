#include "opcat/serve/grpc_listener.hpp"

#include "opcat/serve/grpc_connection.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

constexpr std::chrono::milliseconds tick_interval{50};

} // namespace

GrpcListener::GrpcListener(EventLoop& loop, const Limits& limits, Metrics& metrics, Places& places,
                           Budget& budget, const Tls* tls)
    : loop_(loop), limits_(limits), metrics_(metrics), places_(places), budget_(budget), tls_(tls),
      timer_(loop, tick_interval, [this] { tick(); }) {}

GrpcListener::~GrpcListener() {
    connections_.clear();
    if (callbacks_) libnghttp2().nghttp2_session_callbacks_del(callbacks_);
    if (session_options_) libnghttp2().nghttp2_option_del(session_options_);
}

void GrpcListener::listen(Socket socket, const ServedCatalog& catalog) {
    if (!callbacks_) {
        callbacks_ = Connection::make_callbacks();
        if (libnghttp2().nghttp2_option_new(&session_options_) != 0) throw std::bad_alloc();
        libnghttp2().nghttp2_option_set_no_closed_streams(session_options_, 1);
        constexpr size_t most_acknowledgements = 256;
        libnghttp2().nghttp2_option_set_max_outbound_ack(session_options_, most_acknowledgements);
    }
    acceptors_.push_back(std::make_unique<Acceptor>(
        loop_, places_, std::move(socket), [this, &catalog](Socket accepted, const std::string& client) {
            accept(std::move(accepted), client, catalog);
        }));
    timer_.start();
}

void GrpcListener::accept(Socket socket, const std::string& client, const ServedCatalog& catalog) {
    OwnedConnection transport(
        tls_ ? tls_->accept(loop_.base(), socket.get(), Protocol::grpc)
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
        const auto connection =
            std::make_shared<Connection>(*this, catalog, std::move(transport), std::move(place));
        *self = connection;
        connections_.emplace(connection.get(), connection);
        connection->begin();
    } catch (const std::bad_alloc&) { // it is closed
    }
}

// An action may remove its connection.
template <class Action>
void GrpcListener::for_each_connection(const Action& action) {
    for (auto next = connections_.begin(); next != connections_.end();) {
        const std::shared_ptr<Connection> connection = (next++)->second;
        action(*connection);
    }
}

void GrpcListener::tick() {
    // A port that the system has refused to watch is closed now, and opened by the next tick.
    const bool refused = std::exchange(refusals_, EventLoop::refusals()) != EventLoop::refusals();
    for (const auto& acceptor : acceptors_) acceptor->pause(draining_ || refused);
    const auto now = GrpcStream::Clock::now();
    for_each_connection([&](Connection& connection) { connection.check_times(now); });
}

void GrpcListener::catalogs_changed(bool replaced) {
    for_each_connection([&](Connection& connection) { connection.catalogs_changed(replaced); });
}

void GrpcListener::begin_drain() {
    draining_ = true;
    for (const auto& acceptor : acceptors_) acceptor->pause(true);
    for_each_connection([](Connection& connection) { connection.begin_drain(); });
}

bool GrpcListener::is_busy() const {
    return std::any_of(connections_.begin(), connections_.end(),
                       [](const auto& item) { return item.second->is_busy(); });
}

} // namespace opcat::serve
