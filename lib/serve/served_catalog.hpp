// A catalog while it is served: the data for answers, which a reload replaces as a whole.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/source.hpp"
#include "opcat/serve/metrics.hpp"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace opcat::pages {
class CatalogPages;
}

namespace opcat::serve {

class CatalogDocument;
class RegistrySnapshot;

// One version of a catalog. A request keeps its version until the answer is sent.
struct Snapshot {
    std::shared_ptr<CatalogDocument> document;        // null: HTTP is disabled
    std::shared_ptr<const RegistrySnapshot> registry; // null: gRPC is disabled
    std::shared_ptr<const pages::CatalogPages> pages; // null: not requested yet
    std::string pages_problem;                        // why they cannot be made; empty: they can
    size_t packages = 0;
    size_t bundles = 0;
};

struct ServedApis {
    bool http = true; // catalogd's
    bool grpc = true; // opm's
};

// A version without pages. nullptr: it has errors because of which opm does not serve it over gRPC.
std::shared_ptr<Snapshot> make_snapshot(std::shared_ptr<CatalogDocument> document, ServedApis apis,
                                        ThreadPool& pool);
std::shared_ptr<Snapshot> make_snapshot(const Source& source, ServedApis apis, ThreadPool& pool);

class ServedCatalog {
public:
    explicit ServedCatalog(std::string name) : name_(std::move(name)) {}
    ServedCatalog(const ServedCatalog&) = delete;
    ServedCatalog& operator=(const ServedCatalog&) = delete;

    const std::string& name() const { return name_; }

    // Null while the first one is being loaded.
    std::shared_ptr<const Snapshot> snapshot() const;
    // Requests in progress keep the version that they began with.
    void publish(std::shared_ptr<const Snapshot> snapshot, double load_seconds);
    // The version that is served, with its pages.
    void add_pages(std::shared_ptr<const Snapshot> snapshot);
    // Pages cost memory and time, so they are made when a browser first requests them, and again when that
    // failed. True for the first request.
    bool ask_for_pages() const { return !pages_wanted_.exchange(true); }
    bool wants_pages() const { return pages_wanted_; }
    // Why the last load failed; the earlier version is still served.
    void report_failure(const std::string& problem);

    // Why it is not known whether there is a newer version; empty: it is known, or nobody watches.
    void report_watch(const std::string& problem);

    // Empty: the last load succeeded.
    std::string problem() const;
    std::string watch_problem() const;
    CatalogFigures figures() const;

private:
    std::string name_;
    mutable std::atomic<bool> pages_wanted_ = false; // and not made yet
    mutable std::mutex mutex_;
    std::shared_ptr<const Snapshot> snapshot_;
    std::string problem_;
    std::string watch_problem_;
    double load_seconds_ = 0;
    uint64_t load_errors_ = 0;
};

// In the given order.
using ServedCatalogs = std::vector<std::unique_ptr<ServedCatalog>>;

// The state of a file or directory tree: equal states have, as far as times and sizes show, equal contents.
struct TreeState {
    std::time_t newest = 0; // when the last of its files or directories changed
    uint64_t fingerprint = 0;
    uint64_t bytes = 0; // of its files

    friend bool operator==(const TreeState&, const TreeState&) = default;
};

// Follows links, as those of mounted ConfigMaps. Unreadable files are ignored, and what is in `.git`.
TreeState tree_state(const std::filesystem::path& root);

} // namespace opcat::serve
