#include "opcat/serve/http_listener.hpp"

#include "opcat/serve/http_connection.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace opcat::serve {
namespace {

constexpr std::chrono::milliseconds http_tick{100};

} // namespace

HttpListener::HttpListener(EventLoop& loop, HttpHandler handler, const Limits& limits, Metrics& metrics,
                           Places& places, Budget& budget, const Tls* tls)
    : loop_(loop), handler_(std::move(handler)), limits_(limits), metrics_(metrics), places_(places),
      budget_(budget), tls_(tls), connections_(loop, places, tls, Protocol::http),
      timer_(loop, http_tick, [this] { tick(); }) {}

HttpListener::~HttpListener() = default;

void HttpListener::listen(Socket socket) {
    connections_.listen(std::move(socket), [this](Socket accepted, const std::string& client) {
        connections_.add(std::move(accepted), client, [this](auto transport, auto place) {
            return std::make_shared<Connection>(*this, std::move(transport), std::move(place));
        });
    });
    timer_.start();
}

void HttpListener::tick() {
    connections_.watch_ports();
    const auto now = std::chrono::steady_clock::now();
    connections_.for_each([&](Connection& connection) { connection.check_times(now); });
}

void HttpListener::catalogs_changed(bool replaced) {
    connections_.for_each([&](Connection& connection) { connection.catalogs_changed(replaced); });
}

void HttpListener::begin_drain() {
    draining_ = true;
    connections_.close_ports();
    catalogs_changed(false);
}

bool HttpListener::is_busy() const {
    return connections_.is_busy();
}

} // namespace opcat::serve
