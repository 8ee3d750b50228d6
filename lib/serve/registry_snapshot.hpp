// One version of a catalog as the Operator Registry API serves it (docs/serving.md). No I/O.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/serve/bundle_message.hpp"
#include "opcat/serve/catalog_document.hpp"
#include "opcat/serve/grpc_answer.hpp"

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opcat::serve {

// Errors because of which opm does not serve a catalog that it loads.
Diagnostics find_serving_errors(const Catalog& catalog);

// Thread-safe; answers keep the snapshot alive. Holds the messages that answers consist of, but for the
// manifests: those are as large as the catalog, so they are made from its document, which HTTP serves as
// well.
class RegistrySnapshot : public std::enable_shared_from_this<RegistrySnapshot> {
public:
    // Some packages of a catalog, complete; false: they have errors.
    using Check = std::function<bool(const LoadedCatalog& part)>;
    // Reads the document a few megabytes at a time. Nothing if `is_good` refuses a part: what is not refused
    // has no errors (lint/lint.hpp, find_serving_errors).
    static std::shared_ptr<const RegistrySnapshot> make(std::shared_ptr<const CatalogDocument> document,
                                                        ThreadPool& pool, const Check& is_good);

    size_t packages() const { return packages_.size(); }
    size_t bundles() const { return document_->count(schema::bundle); }

    // The methods of the API. Failures have opm's words.
    GrpcAnswer list_packages() const;
    GrpcAnswer get_package(std::string_view name) const;
    GrpcAnswer list_bundles() const;
    GrpcAnswer get_bundle(std::string_view package, std::string_view channel, std::string_view name) const;
    GrpcAnswer get_bundle_for_channel(std::string_view package, std::string_view channel) const;
    GrpcAnswer get_bundle_that_replaces(std::string_view name, std::string_view package,
                                        std::string_view channel) const;
    GrpcAnswer get_channel_entries_that_replace(std::string_view name) const;
    GrpcAnswer get_channel_entries_that_provide(const Api& api) const;
    GrpcAnswer get_latest_channel_entries_that_provide(const Api& api) const;
    GrpcAnswer get_default_bundle_that_provides(const Api& api) const;
    GrpcAnswer list_package_custom_schemas(std::string_view schema, std::string_view package) const;

private:
    struct BundleRecord {
        size_t line = 0;         // of the document
        size_t package_line = 0; // of its package
        std::string message;     // encode_bundle(); later a part of bundle_list_
        std::string_view listed_message;
        std::vector<const Api*> provided;
        bool has_image = false;
        std::string manifests; // of a bundle without an image, which every answer contains
    };
    struct EntryRecord {
        std::string name;
        std::string replaces;
        std::vector<std::string> skips;
        BundleRecord* bundle = nullptr;
        std::string membership; // encode_membership()
        std::string edges;      // encode_edges(); empty after bundle_list_ has been made
    };
    struct ChannelRecord {
        std::string name;
        std::vector<EntryRecord> entries; // by name
        const EntryRecord* head = nullptr;

        const EntryRecord* find(std::string_view entry) const;
    };
    struct PackageRecord {
        std::string name;
        std::string default_channel;
        std::string message;                 // Package
        std::vector<ChannelRecord> channels; // by name

        const ChannelRecord* find(std::string_view channel) const;
    };
    // An answer of the entry streams.
    struct FoundEntry {
        const PackageRecord* package;
        const ChannelRecord* channel;
        const EntryRecord* entry;
        std::string_view replaces;
    };

    explicit RegistrySnapshot(std::shared_ptr<const CatalogDocument> document);
    bool add_all(ThreadPool& pool, const Check& is_good);
    class LineFinder;
    void add(const Catalog& part, const LineFinder& finder, ThreadPool& pool);
    void make_list_of_bundles();

    const PackageRecord* find(std::string_view package) const;
    GrpcAnswer bundle_answer(const EntryRecord& entry) const;
    std::shared_ptr<const std::string> manifests_of(const BundleRecord& bundle) const;
    std::vector<FoundEntry> providers(const Api& api, bool latest) const;
    LoadedCatalog read_lines(const std::vector<size_t>& lines) const;
    static GrpcAnswer entries_answer(const std::vector<FoundEntry>& entries, std::string nothing_found);

    std::shared_ptr<const CatalogDocument> document_;
    std::vector<PackageRecord> packages_; // by name
    std::deque<BundleRecord> bundles_;
    std::set<Api> apis_;
    // Lines of the document, by schema and package.
    std::map<std::pair<std::string_view, std::string_view>, std::vector<size_t>> others_;
    std::string bundle_list_;                          // the messages of list_bundles(), without long parts
    std::vector<std::string_view> bundle_list_pieces_; // all of them

    // The manifests that were requested last. Most bundles are never requested, and all of their manifests
    // together are as large as the catalog.
    struct ManifestCache;
    std::unique_ptr<ManifestCache> manifests_;
};

} // namespace opcat::serve
