#include "opcat/serve/metrics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace opcat::serve {
namespace {

std::string_view to_string(Protocol protocol) {
    return protocol == Protocol::http ? "http" : "grpc";
}

class MetricsText {
public:
    void begin(std::string_view name, std::string_view type, std::string_view help) {
        fmt::format_to(std::back_inserter(out_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    }
    template <typename Number>
    void add(std::string_view name, std::string_view labels, Number value) {
        fmt::format_to(std::back_inserter(out_), "{}{}{}{} {}\n", name, labels.empty() ? "" : "{", labels,
                       labels.empty() ? "" : "}", value);
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
};

} // namespace

uint64_t resident_memory() {
    std::ifstream file("/proc/self/statm");
    uint64_t total = 0;
    uint64_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void Metrics::count_request(const FinishedRequest& request) {
    if (observer_) observer_(request);
    const auto& [protocol, method, code, target, took] = request;
    const double seconds = std::chrono::duration<double>(took).count();
    const auto bucket =
        static_cast<size_t>(std::lower_bound(buckets.begin(), buckets.end(), seconds) - buckets.begin());
    const std::lock_guard lock(mutex_);
    Histogram& histogram = requests_[Key(protocol, method, code)];
    ++histogram.count;
    histogram.seconds += seconds;
    if (bucket < buckets.size()) ++histogram.at_most[bucket];
}

std::string Metrics::to_text(const std::vector<CatalogFigures>& catalogs,
                             const std::optional<CertificateFigures>& certificate) const {
    std::map<Key, Histogram> requests;
    {
        const std::lock_guard lock(mutex_);
        requests = requests_;
    }
    MetricsText text;
    const auto request_labels = [](const Key& key) {
        return fmt::format("protocol=\"{}\",method=\"{}\",code=\"{}\"", to_string(std::get<0>(key)),
                           std::get<1>(key), std::get<2>(key));
    };
    text.begin("opcat_requests_total", "counter", "Requests that were answered.");
    for (const auto& [key, histogram] : requests)
        text.add("opcat_requests_total", request_labels(key), histogram.count);
    text.begin("opcat_request_seconds_total", "counter",
               "Time until the answers to requests were ready to be sent.");
    for (const auto& [key, histogram] : requests)
        text.add("opcat_request_seconds_total", request_labels(key), histogram.seconds);

    // Under catalogd's name, with its labels and buckets.
    constexpr std::string_view catalogd = "catalogd_http_request_duration_seconds";
    std::map<std::string, Histogram> by_code;
    for (const auto& [key, histogram] : requests) {
        if (std::get<0>(key) != Protocol::http) continue;
        Histogram& sum = by_code[std::get<2>(key)];
        sum.count += histogram.count;
        sum.seconds += histogram.seconds;
        for (size_t i = 0; i < buckets.size(); ++i) sum.at_most[i] += histogram.at_most[i];
    }
    text.begin(catalogd, "histogram", "Histogram of request duration.");
    for (const auto& [code, histogram] : by_code) {
        uint64_t so_far = 0;
        for (size_t i = 0; i < buckets.size(); ++i) {
            so_far += histogram.at_most[i];
            text.add(fmt::format("{}_bucket", catalogd),
                     fmt::format("code=\"{}\",le=\"{}\"", code, buckets[i]), so_far);
        }
        text.add(fmt::format("{}_bucket", catalogd), fmt::format("code=\"{}\",le=\"+Inf\"", code),
                 histogram.count);
        text.add(fmt::format("{}_sum", catalogd), fmt::format("code=\"{}\"", code), histogram.seconds);
        text.add(fmt::format("{}_count", catalogd), fmt::format("code=\"{}\"", code), histogram.count);
    }

    text.begin("opcat_open_connections", "gauge", "Connections that are open.");
    text.add("opcat_open_connections", "", open_connections());
    text.begin("opcat_sent_bytes_total", "counter", "Bytes of the answers, without headers.");
    text.add("opcat_sent_bytes_total", "", bytes_sent_.load(std::memory_order_relaxed));

    const auto of_catalogs = [&](std::string_view name, std::string_view type, std::string_view help,
                                 const auto& value) {
        text.begin(name, type, help);
        for (const CatalogFigures& catalog : catalogs)
            text.add(name, fmt::format("catalog=\"{}\"", catalog.name), value(catalog));
    };
    of_catalogs("opcat_catalog_ready", "gauge", "1 if the catalog is loaded.",
                [](const CatalogFigures& c) { return c.ready ? 1 : 0; });
    of_catalogs("opcat_catalog_packages", "gauge", "Packages of the catalog.",
                [](const CatalogFigures& c) { return c.packages; });
    of_catalogs("opcat_catalog_bundles", "gauge", "Bundles of the catalog.",
                [](const CatalogFigures& c) { return c.bundles; });
    of_catalogs("opcat_catalog_bytes", "gauge", "Bytes of the catalog as JSON lines.",
                [](const CatalogFigures& c) { return c.bytes; });
    of_catalogs("opcat_catalog_load_seconds", "gauge", "Time that the last load took.",
                [](const CatalogFigures& c) { return c.load_seconds; });
    of_catalogs("opcat_catalog_load_errors_total", "counter", "Loads that failed.",
                [](const CatalogFigures& c) { return c.load_errors; });
    text.begin("opcat_catalog_info", "gauge", "The digest of the catalog.");
    for (const CatalogFigures& catalog : catalogs)
        text.add("opcat_catalog_info",
                 fmt::format("catalog=\"{}\",digest=\"{}\"", catalog.name, catalog.digest), 1);
    if (certificate) {
        text.begin("opcat_certificate_expires_seconds", "gauge",
                   "When the certificate of the server expires, in seconds since 1970.");
        text.add("opcat_certificate_expires_seconds", "", certificate->expires);
        text.begin("opcat_certificate_load_errors_total", "counter",
                   "Changed files of the certificate that could not be used.");
        text.add("opcat_certificate_load_errors_total", "", certificate->load_errors);
    }
    text.begin("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.");
    text.add("process_resident_memory_bytes", "", resident_memory());
    return text.take();
}

} // namespace opcat::serve
