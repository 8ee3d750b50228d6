#include "opcat/serve/grpc_listener.hpp"

#include "opcat/serve/grpc_connection.hpp"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

constexpr std::chrono::milliseconds tick_interval{50};

} // namespace

GrpcListener::GrpcListener(EventLoop& loop, const Limits& limits, Metrics& metrics, const Tls* tls)
    : loop_(loop), limits_(limits), metrics_(metrics), tls_(tls),
      timer_(loop, tick_interval, [this] { tick(); }) {}

GrpcListener::~GrpcListener() {
    for (Connection* const connection : connections_) delete connection;
    for (const auto& port : ports_) libevent().evconnlistener_free(port->accepting);
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
    auto port = std::make_unique<Port>(Port{this, &catalog, nullptr});
    port->accepting =
        libevent().evconnlistener_new(loop_.base(), &GrpcListener::on_accept, port.get(),
                                      LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, socket.get());
    if (!port->accepting) throw std::bad_alloc();
    socket.release();
    // The process has no descriptors left: as if there were too many connections.
    libevent().evconnlistener_set_error_cb(port->accepting, [](evconnlistener*, void* self) {
        static_cast<Port*>(self)->listener->pause(true);
    });
    ports_.push_back(std::move(port));
    timer_.start();
}

void GrpcListener::on_accept(evconnlistener*, evutil_socket_t socket, sockaddr*, int, void* self) {
    const Port& port = *static_cast<Port*>(self);
    GrpcListener& listener = *port.listener;
    event_base* const base = listener.loop_.base();
    OwnedConnection transport(listener.tls_
                                  ? listener.tls_->accept(base, socket, Protocol::grpc)
                                  : libevent().bufferevent_socket_new(base, socket, BEV_OPT_CLOSE_ON_FREE));
    if (!transport) {
        ::close(socket);
        return;
    }
    try {
        auto connection = std::make_unique<Connection>(listener, *port.catalog, std::move(transport));
        listener.connections_.insert(connection.get());
        listener.metrics_.connection_opened();
        static_cast<void>(connection.release());
    } catch (const std::bad_alloc&) {
        return; // it is closed
    }
    if (listener.metrics_.open_connections() >= listener.limits_.connections) listener.pause(true);
}

void GrpcListener::remove(Connection* connection) {
    if (connections_.erase(connection) == 0) return;
    metrics_.connection_closed();
    delete connection;
}

void GrpcListener::pause(bool paused) {
    if (paused == paused_) return;
    paused_ = paused;
    for (const auto& port : ports_)
        paused ? libevent().evconnlistener_disable(port->accepting)
               : libevent().evconnlistener_enable(port->accepting);
}

// An action may delete its connection.
template <class Action>
void GrpcListener::for_each_connection(const Action& action) {
    for (auto next = connections_.begin(); next != connections_.end();) {
        Connection& connection = **next++;
        action(connection);
    }
}

void GrpcListener::tick() {
    // A port that the system has refused to watch is closed now, and opened by the next tick.
    if (std::exchange(refusals_, EventLoop::refusals()) != EventLoop::refusals())
        pause(true);
    else if (paused_ && !draining_ && metrics_.open_connections() < limits_.connections)
        pause(false);
    const auto now = GrpcStream::Clock::now();
    for_each_connection([&](Connection& connection) { connection.check_deadlines(now); });
}

void GrpcListener::catalogs_changed() {
    for_each_connection([](Connection& connection) { connection.catalogs_changed(); });
}

void GrpcListener::begin_drain() {
    draining_ = true;
    pause(true);
    for_each_connection([](Connection& connection) { connection.begin_drain(); });
}

bool GrpcListener::is_busy() const {
    return std::any_of(connections_.begin(), connections_.end(),
                       [](const Connection* connection) { return connection->is_busy(); });
}

} // namespace opcat::serve
