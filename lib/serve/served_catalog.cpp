#include "opcat/serve/served_catalog.hpp"

#include "opcat/base/platform.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/pages/catalog_pages.hpp"
#include "opcat/serve/catalog_document.hpp"
#include "opcat/serve/registry_snapshot.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

namespace opcat::serve {
namespace fs = std::filesystem;

std::shared_ptr<Snapshot> make_snapshot(std::shared_ptr<CatalogDocument> document, ServedApis apis,
                                        ThreadPool& pool) {
    auto snapshot = std::make_shared<Snapshot>();
    if (apis.grpc) {
        snapshot->registry = RegistrySnapshot::make(document, pool, [&](const LoadedCatalog& part) {
            return find_errors(part, pool).empty() && find_serving_errors(part.catalog).empty();
        });
        if (!snapshot->registry) return nullptr;
        snapshot->packages = snapshot->registry->packages();
        snapshot->bundles = snapshot->registry->bundles();
    } else {
        snapshot->packages = document->count(schema::package);
        snapshot->bundles = document->count(schema::bundle);
    }
    if (apis.http) {
        constexpr size_t small = size_t{1} << 20;
        if (document->text().size() <= small) document->compress(pool);
        snapshot->document = std::move(document);
    }
    return snapshot;
}

std::shared_ptr<Snapshot> make_snapshot(const Source& source, ServedApis apis, ThreadPool& pool) {
    return make_snapshot(std::make_shared<CatalogDocument>(source.catalog(), std::time(nullptr), pool), apis,
                         pool);
}

std::shared_ptr<const Snapshot> ServedCatalog::snapshot() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
}

void ServedCatalog::publish(std::shared_ptr<const Snapshot> snapshot, double load_seconds) {
    const std::lock_guard lock(mutex_);
    snapshot_.swap(snapshot); // the old one goes when the lock is gone
    problem_.clear();
    load_seconds_ = load_seconds;
}

void ServedCatalog::add_pages(std::shared_ptr<const Snapshot> snapshot) {
    const std::lock_guard lock(mutex_);
    snapshot_.swap(snapshot);
    pages_wanted_ = false;
}

void ServedCatalog::report_failure(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    problem_ = problem;
    ++load_errors_;
}

std::string ServedCatalog::problem() const {
    const std::lock_guard lock(mutex_);
    return problem_;
}

void ServedCatalog::report_watch(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    watch_problem_ = problem;
}

std::string ServedCatalog::watch_problem() const {
    const std::lock_guard lock(mutex_);
    return watch_problem_;
}

CatalogFigures ServedCatalog::figures() const {
    const std::lock_guard lock(mutex_);
    CatalogFigures figures;
    figures.name = name_;
    figures.load_seconds = load_seconds_;
    figures.load_errors = load_errors_;
    if (!snapshot_) return figures;
    figures.ready = true;
    figures.packages = snapshot_->packages;
    figures.bundles = snapshot_->bundles;
    if (snapshot_->document) {
        figures.bytes = snapshot_->document->text().size();
        figures.digest = snapshot_->document->digest();
    }
    return figures;
}

namespace {

void mix(uint64_t& hash, uint64_t number) {
    // FNV-1a with words in place of bytes.
    hash = (hash ^ number) * 0x100000001b3U;
    hash ^= hash >> 29U;
}

void add(TreeState& state, const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;
    state.newest = std::max(state.newest, modification_time(status).tv_sec);
    const timespec changed = change_time(status);
    if (S_ISREG(status.st_mode)) state.bytes += static_cast<uint64_t>(status.st_size);
    for (const uint64_t number :
         {static_cast<uint64_t>(std::hash<std::string>()(path.native())),
          static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_ino),
          static_cast<uint64_t>(changed.tv_sec), static_cast<uint64_t>(changed.tv_nsec),
          static_cast<uint64_t>(status.st_mode)})
        mix(state.fingerprint, number);
}

} // namespace

TreeState tree_state(const fs::path& root) {
    TreeState state;
    add(state, root);
    // Links to directories are not entered, as the catalog's own walk does not.
    std::error_code failed;
    std::vector<fs::path> paths;
    for (fs::recursive_directory_iterator at(root, failed), end; !failed && at != end; at.increment(failed)) {
        paths.push_back(at->path());
        if (at->path().filename() == ".git") at.disable_recursion_pending();
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) add(state, path);
    return state;
}

} // namespace opcat::serve
