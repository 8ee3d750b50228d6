#include "opcat/serve/grpc_listener.hpp"

#include "opcat/serve/grpc_connection.hpp"

#include <chrono>
#include <memory>
#include <new>
#include <utility>

namespace opcat::serve {
namespace {

constexpr std::chrono::milliseconds tick_interval{50};

} // namespace

GrpcListener::GrpcListener(EventLoop& loop, const Limits& limits, Metrics& metrics, Places& places,
                           Budget& budget, const Tls* tls)
    : loop_(loop), limits_(limits), metrics_(metrics), places_(places), budget_(budget),
      connections_(loop, places, tls, Protocol::grpc), timer_(loop, tick_interval, [this] { tick(); }) {}

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
    connections_.listen(std::move(socket), [this, &catalog](Socket accepted, const std::string& client) {
        accept(std::move(accepted), client, catalog);
    });
    timer_.start();
}

void GrpcListener::accept(Socket socket, const std::string& client, const ServedCatalog& catalog) {
    const auto connection = connections_.add(std::move(socket), client, [&](auto transport, auto place) {
        return std::make_shared<Connection>(*this, catalog, std::move(transport), std::move(place));
    });
    if (!connection) return;
    try {
        connection->begin();
    } catch (const std::bad_alloc&) {
        connections_.remove(connection.get());
    }
}

void GrpcListener::tick() {
    connections_.watch_ports();
    const auto now = GrpcStream::Clock::now();
    connections_.for_each([&](Connection& connection) { connection.check_times(now); });
}

void GrpcListener::catalogs_changed(bool replaced) {
    connections_.for_each([&](Connection& connection) { connection.catalogs_changed(replaced); });
}

void GrpcListener::begin_drain() {
    draining_ = true;
    connections_.close_ports();
    connections_.for_each([](Connection& connection) { connection.begin_drain(); });
}

bool GrpcListener::is_busy() const {
    return connections_.is_busy();
}

} // namespace opcat::serve
