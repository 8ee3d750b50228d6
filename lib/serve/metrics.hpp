// Counters of a server, and their text for Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace opcat::serve {

enum class Protocol : uint8_t { http, grpc };

// The figures of one catalog at the time of the request for metrics.
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

// The certificate of a server that speaks TLS, at that time.
struct CertificateFigures {
    int64_t expires = 0; // seconds since 1970
    uint64_t load_errors = 0;
    std::string problem = {}; // of the last time that its files were read; empty: there was none
};

// A request that was answered.
struct FinishedRequest {
    Protocol protocol;
    std::string_view method; // one of a fixed set, as is `code`: names from clients must not fill the memory
    std::string_view code;
    std::string_view target; // as the client sent it: "/api.Registry/GetPackage", "/catalogs/c/api/v1/all"
    std::chrono::nanoseconds took;
};

// Called on the threads that answer.
using RequestObserver = std::function<void(const FinishedRequest&)>;

// Returns the resident memory of this process, in bytes; 0 if the system does not report it.
uint64_t resident_memory();

// Thread-safe.
class Metrics {
public:
    // `observer` may be empty, and receives all requests.
    explicit Metrics(RequestObserver observer = {}) : observer_(std::move(observer)) {}

    void count_request(const FinishedRequest& request);
    void connection_opened() { open_connections_.fetch_add(1, std::memory_order_relaxed); }
    void connection_closed() { open_connections_.fetch_sub(1, std::memory_order_relaxed); }
    uint64_t open_connections() const { return open_connections_.load(std::memory_order_relaxed); }
    void add_bytes_sent(uint64_t bytes) { bytes_sent_.fetch_add(bytes, std::memory_order_relaxed); }

    // In the text format of Prometheus, version 0.0.4.
    std::string to_text(const std::vector<CatalogFigures>& catalogs,
                        const std::optional<CertificateFigures>& certificate) const;

private:
    // catalogd's, for which dashboards exist.
    static constexpr std::array buckets = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
                                           1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0, 10.0};
    struct Histogram {
        std::array<uint64_t, buckets.size()> at_most{}; // not cumulative
        uint64_t count = 0;
        double seconds = 0;
    };
    using Key = std::tuple<Protocol, std::string, std::string>;

    RequestObserver observer_;
    mutable std::mutex mutex_;
    std::map<Key, Histogram> requests_;
    std::atomic<uint64_t> open_connections_ = 0;
    std::atomic<uint64_t> bytes_sent_ = 0;
};

} // namespace opcat::serve
