// Counters of a server, and their text for Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace opcat::serve {

enum class Protocol : uint8_t { http, grpc };

// What is known about one catalog when the metrics are asked for.
struct CatalogFigures {
    std::string name;
    bool ready = false;
    size_t packages = 0;
    size_t bundles = 0;
    uint64_t bytes = 0;
    double load_seconds = 0;
    std::string digest;
    uint64_t load_errors = 0;
};

// May be used from several threads.
class Metrics {
public:
    // A request that was answered. `method` is one of a fixed set, as is `code`: what clients make up must
    // not fill the memory.
    void count_request(Protocol protocol, std::string_view method, std::string_view code,
                       std::chrono::nanoseconds took);
    void connection_opened() { open_connections_.fetch_add(1, std::memory_order_relaxed); }
    void connection_closed() { open_connections_.fetch_sub(1, std::memory_order_relaxed); }
    uint64_t open_connections() const { return open_connections_.load(std::memory_order_relaxed); }
    void add_bytes_sent(uint64_t bytes) { bytes_sent_.fetch_add(bytes, std::memory_order_relaxed); }

    // In the text format of Prometheus, version 0.0.4.
    std::string to_text(const std::vector<CatalogFigures>& catalogs) const;

private:
    // catalogd's: dashboards have them already.
    static constexpr std::array buckets = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
                                           1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0, 10.0};
    struct Histogram {
        std::array<uint64_t, buckets.size()> at_most{}; // not cumulative
        uint64_t count = 0;
        double seconds = 0;
    };
    using Key = std::tuple<Protocol, std::string, std::string>;

    mutable std::mutex mutex_;
    std::map<Key, Histogram, std::less<>> requests_;
    std::atomic<uint64_t> open_connections_ = 0;
    std::atomic<uint64_t> bytes_sent_ = 0;
};

} // namespace opcat::serve
