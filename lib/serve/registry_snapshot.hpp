// One version of a catalog as the Operator Registry API serves it (docs/serving.md). No I/O.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/serve/bundle_message.hpp"
#include "opcat/serve/grpc_answer.hpp"

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace opcat::serve {

// Errors because of which opm does not serve a catalog that it loads.
Diagnostics find_serving_errors(const Catalog& catalog);

// Thread-safe; answers keep the snapshot alive.
class RegistrySnapshot : public std::enable_shared_from_this<RegistrySnapshot> {
public:
    // `catalog` has no errors (lint/lint.hpp, find_serving_errors).
    static std::shared_ptr<const RegistrySnapshot> make(Catalog catalog, ThreadPool& pool);

    size_t packages() const { return packages_.size(); }
    size_t bundles() const { return catalog_.bundles.size(); }

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
        const Bundle* bundle = nullptr;
        const Package* package = nullptr;
        std::string message; // encode_bundle()
        std::vector<Api> provided;
        std::string manifests; // of a bundle without an image, which every answer contains
    };
    struct EntryRecord {
        const ChannelEntry* entry = nullptr;
        const BundleRecord* bundle = nullptr;
        std::string membership; // encode_membership()
    };
    struct ChannelRecord {
        std::string_view name;
        std::vector<EntryRecord> entries; // by name
        const EntryRecord* head = nullptr;

        const EntryRecord* find(std::string_view entry) const;
    };
    struct PackageRecord {
        std::string_view name;
        std::string_view default_channel;
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

    RegistrySnapshot(Catalog catalog, ThreadPool& pool);
    void make_list_of_bundles();

    const PackageRecord* find(std::string_view package) const;
    GrpcAnswer bundle_answer(const EntryRecord& entry) const;
    std::shared_ptr<const std::string> manifests_of(const BundleRecord& bundle) const;
    std::vector<FoundEntry> providers(const Api& api, bool latest) const;
    static GrpcAnswer entries_answer(const std::vector<FoundEntry>& entries, std::string nothing_found);

    Catalog catalog_;
    std::vector<PackageRecord> packages_; // by name
    std::deque<BundleRecord> bundles_;
    std::map<std::pair<std::string_view, std::string_view>, std::vector<const OtherBlob*>> others_;
    std::string bundle_list_;                          // the messages of list_bundles(), without long parts
    std::vector<std::string_view> bundle_list_pieces_; // all of them

    // The manifests that were requested last. Most bundles are never requested, and all of their manifests
    // together are as large as the catalog.
    struct ManifestCache;
    std::unique_ptr<ManifestCache> manifests_;
};

} // namespace opcat::serve
