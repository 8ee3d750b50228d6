#include "opcat/serve/registry_snapshot.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/serve/protobuf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace opcat::serve {

using protobuf::append_bytes;
using protobuf::append_string;

Diagnostics find_serving_errors(const Catalog& catalog) {
    Diagnostics errors;
    for (const Bundle& bundle : catalog.bundles) {
        const Property* first = nullptr;
        for (const Property& property : bundle.properties) {
            if (property.type != property_type::csv_metadata) continue;
            if (first) {
                errors.push_back(error("property-value", bundle.at(property.type),
                                       "a bundle that is served has one property of type olm.csv.metadata",
                                       "keep one of them"));
                break;
            }
            first = &property;
        }
    }
    return errors;
}

// The most recently used stay, up to a number of bytes.
struct RegistrySnapshot::ManifestCache {
    static constexpr size_t most_bytes = size_t{16} << 20;
    using Key = const BundleRecord*;
    using Item = std::pair<Key, std::shared_ptr<const std::string>>;

    std::shared_ptr<const std::string> find(Key key) {
        const std::lock_guard lock(mutex);
        const auto found = places.find(key);
        if (found == places.end()) return nullptr;
        items.splice(items.begin(), items, found->second);
        return found->second->second;
    }
    void add(Key key, const std::shared_ptr<const std::string>& manifests) {
        const std::lock_guard lock(mutex);
        if (manifests->size() > most_bytes || places.contains(key)) return;
        items.emplace_front(key, manifests);
        places.emplace(key, items.begin());
        bytes += manifests->size();
        while (bytes > most_bytes) {
            bytes -= items.back().second->size();
            places.erase(items.back().first);
            items.pop_back();
        }
    }

    std::mutex mutex;
    std::list<Item> items;
    std::unordered_map<Key, std::list<Item>::iterator> places;
    size_t bytes = 0;
};

namespace {

std::string encode_deprecation(const DeprecationEntry* deprecation) {
    std::string out;
    if (deprecation) append_string(out, 1, deprecation->message);
    return out;
}

// A field of type Deprecation; absent where nothing is deprecated.
void append_deprecation(std::string& out, uint32_t field, const DeprecationEntry* deprecation) {
    if (deprecation) append_bytes(out, field, encode_deprecation(deprecation));
}

bool is_custom_name(std::string_view name) {
    const auto alphanumeric = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return !name.empty() && alphanumeric(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
        return alphanumeric(c) || c == '.' || c == '_' || c == '-';
    });
}

template <typename Record>
const Record* find_by_name(const std::vector<Record>& records, std::string_view name) {
    const auto found =
        std::lower_bound(records.begin(), records.end(), name,
                         [](const Record& record, std::string_view n) { return record.name < n; });
    return found != records.end() && found->name == name ? &*found : nullptr;
}

} // namespace

const RegistrySnapshot::EntryRecord* RegistrySnapshot::ChannelRecord::find(std::string_view name_) const {
    const auto found = std::lower_bound(
        entries.begin(), entries.end(), name_,
        [](const EntryRecord& record, std::string_view n) { return record.entry->name.text < n; });
    return found != entries.end() && found->entry->name == name_ ? &*found : nullptr;
}

const RegistrySnapshot::ChannelRecord* RegistrySnapshot::PackageRecord::find(std::string_view channel) const {
    return find_by_name(channels, channel);
}

const RegistrySnapshot::PackageRecord* RegistrySnapshot::find(std::string_view package) const {
    return find_by_name(packages_, package);
}

std::shared_ptr<const RegistrySnapshot> RegistrySnapshot::make(Catalog catalog, ThreadPool& pool) {
    return std::shared_ptr<const RegistrySnapshot>(new RegistrySnapshot(std::move(catalog), pool));
}

RegistrySnapshot::RegistrySnapshot(Catalog catalog, ThreadPool& pool)
    : catalog_(std::move(catalog)), manifests_(std::make_unique<ManifestCache>()) {
    const UpgradeGraph graph = build_upgrade_graph(catalog_, pool);
    std::vector<std::unordered_map<NodeId, BundleRecord*>> records(graph.packages.size());
    struct Task {
        BundleRecord* record;
        const DeprecationEntry* deprecation;
    };
    std::vector<Task> tasks;
    for (size_t i = 0; i < graph.packages.size(); ++i) {
        const PackageGraph& package = graph.packages[i];
        for (const ChannelGraph& channel : package.channels)
            for (const GraphEntry& entry : channel.entries) {
                BundleRecord*& record = records[i][entry.node];
                if (record) continue;
                const GraphNode& node = package.nodes[entry.node];
                assert(node.bundle && package.package);
                record = &bundles_.emplace_back();
                record->bundle = node.bundle;
                record->package = package.package;
                tasks.push_back({record, node.deprecation});
            }
    }
    pool.for_each(tasks.size(), [&](size_t i) {
        BundleRecord& record = *tasks[i].record;
        record.message = encode_bundle(*record.bundle, tasks[i].deprecation);
        record.provided = apis_of(*record.bundle, property_type::gvk);
        if (record.bundle->image.empty())
            record.manifests = encode_manifests(*record.bundle, *record.package);
    });

    packages_.resize(graph.packages.size());
    for (size_t i = 0; i < graph.packages.size(); ++i) {
        const PackageGraph& source = graph.packages[i];
        PackageRecord& package = packages_[i];
        package.name = source.name;
        package.default_channel = source.package->default_channel;
        append_string(package.message, 1, package.name);
        package.channels.resize(source.channels.size());
        for (size_t j = 0; j < source.channels.size(); ++j) {
            const ChannelGraph& from = source.channels[j];
            ChannelRecord& channel = package.channels[j];
            channel.name = from.name;
            for (const GraphEntry& entry : from.entries)
                channel.entries.push_back(
                    {entry.source, records[i][entry.node], encode_membership(channel.name, *entry.source)});
            std::sort(channel.entries.begin(), channel.entries.end(),
                      [](const EntryRecord& a, const EntryRecord& b) {
                          return a.entry->name.text < b.entry->name.text;
                      });
            const NodeId head = from.head();
            assert(head != no_node);
            channel.head = channel.find(source.nodes[head].name);
            std::string message;
            append_string(message, 1, channel.name);
            append_string(message, 2, channel.head->entry->name);
            append_deprecation(message, 3, from.deprecation);
            append_bytes(package.message, 2, message);
        }
        append_string(package.message, 3, package.default_channel);
        append_deprecation(package.message, 4, source.deprecation);
    }
    for (const OtherBlob& blob : catalog_.others) others_[{blob.schema, blob.package}].push_back(&blob);
    make_list_of_bundles();
}

// By channel, package and bundle.
void RegistrySnapshot::make_list_of_bundles() {
    struct Row {
        std::string_view channel;
        std::string_view package;
        const EntryRecord* entry;
    };
    std::vector<Row> rows;
    for (const PackageRecord& package : packages_)
        for (const ChannelRecord& channel : package.channels)
            for (const EntryRecord& entry : channel.entries)
                rows.push_back({channel.name, package.name, &entry});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.channel < b.channel; });

    // Long parts are shared, and come between short ones.
    struct Insert {
        size_t at;
        std::string_view text;
    };
    std::vector<Insert> inserts;
    for (const Row& row : rows) {
        const EntryRecord& entry = *row.entry;
        const std::string edges = encode_edges(*entry.entry);
        const BundleRecord& bundle = *entry.bundle;
        bundle_list_ += message_prefix(bundle.message.size() + entry.membership.size() + edges.size() +
                                       bundle.manifests.size());
        bundle_list_ += bundle.message;
        bundle_list_ += entry.membership;
        bundle_list_ += edges;
        if (!bundle.manifests.empty()) inserts.push_back({bundle_list_.size(), bundle.manifests});
    }
    size_t at = 0;
    for (const Insert& insert : inserts) {
        bundle_list_pieces_.push_back(std::string_view(bundle_list_).substr(at, insert.at - at));
        bundle_list_pieces_.push_back(insert.text);
        at = insert.at;
    }
    if (at < bundle_list_.size()) bundle_list_pieces_.push_back(std::string_view(bundle_list_).substr(at));
}

namespace {

// `body` has complete messages.
GrpcAnswer answer_of(std::string body) {
    GrpcAnswer answer;
    const auto owned = std::make_shared<const std::string>(std::move(body));
    answer.body.push_back(*owned);
    answer.owners.push_back(owned);
    return answer;
}

} // namespace

GrpcAnswer RegistrySnapshot::list_packages() const {
    std::string body;
    for (const PackageRecord& package : packages_) {
        std::string message;
        append_string(message, 1, package.name);
        body += message_prefix(message.size()) + message;
    }
    return answer_of(std::move(body));
}

namespace {

GrpcAnswer no_package(std::string_view package) {
    return failure(GrpcStatus::unknown, fmt::format("package {} not found", go_quote(package)));
}

GrpcAnswer no_channel(std::string_view package, std::string_view channel) {
    return failure(GrpcStatus::unknown,
                   fmt::format("package {}, channel {} not found", go_quote(package), go_quote(channel)));
}

} // namespace

GrpcAnswer RegistrySnapshot::get_package(std::string_view name) const {
    const PackageRecord* const package = find(name);
    if (!package) return no_package(name);
    GrpcAnswer answer;
    answer.owners.push_back(shared_from_this());
    answer.add_message({package->message});
    return answer;
}

GrpcAnswer RegistrySnapshot::list_bundles() const {
    GrpcAnswer answer;
    answer.body = bundle_list_pieces_;
    answer.owners.push_back(shared_from_this());
    return answer;
}

std::shared_ptr<const std::string> RegistrySnapshot::manifests_of(const BundleRecord& bundle) const {
    if (bundle.bundle->image.empty()) return {shared_from_this(), &bundle.manifests};
    if (auto known = manifests_->find(&bundle)) return known;
    auto made = std::make_shared<const std::string>(encode_manifests(*bundle.bundle, *bundle.package));
    manifests_->add(&bundle, made);
    return made;
}

// With manifests, and without replaces and skips.
GrpcAnswer RegistrySnapshot::bundle_answer(const EntryRecord& entry) const {
    GrpcAnswer answer;
    const auto manifests = manifests_of(*entry.bundle);
    answer.owners = {shared_from_this(), manifests};
    answer.add_message({entry.bundle->message, entry.membership, *manifests});
    return answer;
}

GrpcAnswer RegistrySnapshot::get_bundle(std::string_view package_name, std::string_view channel_name,
                                        std::string_view name) const {
    const PackageRecord* const package = find(package_name);
    if (!package) return no_package(package_name);
    const ChannelRecord* const channel = package->find(channel_name);
    if (!channel) return no_channel(package_name, channel_name);
    if (const EntryRecord* const entry = channel->find(name)) return bundle_answer(*entry);
    return failure(GrpcStatus::unknown,
                   fmt::format("package {}, channel {}, bundle {} not found", go_quote(package_name),
                               go_quote(channel_name), go_quote(name)));
}

GrpcAnswer RegistrySnapshot::get_bundle_for_channel(std::string_view package_name,
                                                    std::string_view channel_name) const {
    const PackageRecord* const package = find(package_name);
    if (!package) return no_package(package_name);
    const ChannelRecord* const channel = package->find(channel_name);
    return channel ? bundle_answer(*channel->head) : no_channel(package_name, channel_name);
}

GrpcAnswer RegistrySnapshot::get_bundle_that_replaces(std::string_view name, std::string_view package_name,
                                                      std::string_view channel_name) const {
    const PackageRecord* const package = find(package_name);
    // opm quotes the name everywhere but here.
    if (!package) return failure(GrpcStatus::unknown, fmt::format("package {} not found", package_name));
    const ChannelRecord* const channel = package->find(channel_name);
    if (!channel) return no_channel(package_name, channel_name);
    for (const EntryRecord& entry : channel->entries) {
        const auto& skips = entry.entry->skips;
        if (entry.entry->replaces == name || std::find(skips.begin(), skips.end(), name) != skips.end())
            return bundle_answer(entry);
    }
    return failure(GrpcStatus::unknown, fmt::format("no entry found for package {}, channel {}",
                                                    go_quote(package_name), go_quote(channel_name)));
}

GrpcAnswer RegistrySnapshot::entries_answer(const std::vector<FoundEntry>& entries,
                                            std::string nothing_found) {
    if (entries.empty()) return failure(GrpcStatus::unknown, std::move(nothing_found));
    std::string body;
    for (const FoundEntry& found : entries) {
        std::string message;
        append_string(message, 1, found.package->name);
        append_string(message, 2, found.channel->name);
        append_string(message, 3, found.entry->entry->name);
        append_string(message, 4, found.replaces);
        body += message_prefix(message.size()) + message;
    }
    return answer_of(std::move(body));
}

GrpcAnswer RegistrySnapshot::get_channel_entries_that_replace(std::string_view name) const {
    std::vector<FoundEntry> found;
    for (const PackageRecord& package : packages_)
        for (const ChannelRecord& channel : package.channels)
            for (const EntryRecord& entry : channel.entries) {
                const std::string_view replaces = entry.entry->replaces;
                if (replaces == name) found.push_back({&package, &channel, &entry, replaces});
                for (const Text& skip : entry.entry->skips)
                    if (skip == name && skip != replaces)
                        found.push_back({&package, &channel, &entry, replaces});
            }
    return entries_answer(found, fmt::format("no channel entries found that replace {}", name));
}

std::vector<RegistrySnapshot::FoundEntry> RegistrySnapshot::providers(const Api& api, bool latest) const {
    std::vector<FoundEntry> found;
    for (const PackageRecord& package : packages_)
        for (const ChannelRecord& channel : package.channels)
            for (const EntryRecord& entry : channel.entries) {
                if (latest && &entry != channel.head) continue;
                const auto& provided = entry.bundle->provided;
                if (std::find(provided.begin(), provided.end(), api) == provided.end()) continue;
                const std::string_view replaces = entry.entry->replaces;
                found.push_back({&package, &channel, &entry, replaces});
                for (const Text& skip : entry.entry->skips)
                    if (skip != replaces && (!latest || channel.find(skip)))
                        found.push_back({&package, &channel, &entry, skip});
            }
    return found;
}

namespace {

std::string describe(const Api& api) {
    return fmt::format("group:{} version:{} kind:{}", go_quote(api.group), go_quote(api.version),
                       go_quote(api.kind));
}

} // namespace

GrpcAnswer RegistrySnapshot::get_channel_entries_that_provide(const Api& api) const {
    return entries_answer(providers(api, false), "no channel entries found that provide " + describe(api));
}

GrpcAnswer RegistrySnapshot::get_latest_channel_entries_that_provide(const Api& api) const {
    return entries_answer(providers(api, true), "no channel entries found that provide " + describe(api));
}

GrpcAnswer RegistrySnapshot::get_default_bundle_that_provides(const Api& api) const {
    const std::vector<FoundEntry> found = providers(api, true);
    if (found.empty())
        return failure(GrpcStatus::unknown, "no channel entries found that provide " + describe(api));
    for (const FoundEntry& one : found)
        if (one.channel->name == one.package->default_channel) return bundle_answer(*one.entry);
    return failure(GrpcStatus::unknown, "no entry found that provides " + describe(api));
}

GrpcAnswer RegistrySnapshot::list_package_custom_schemas(std::string_view schema,
                                                         std::string_view package) const {
    if (schema.empty()) return failure(GrpcStatus::invalid_argument, "schema is required");
    const auto refuse = [](std::string_view what, std::string_view name) {
        return failure(GrpcStatus::invalid_argument,
                       fmt::format("invalid custom schema query: invalid {} {}: must match "
                                   "^[a-zA-Z0-9][a-zA-Z0-9._-]*$",
                                   what, go_quote(name)));
    };
    if (!is_custom_name(schema)) return refuse("schema", schema);
    if (!package.empty() && !is_custom_name(package)) return refuse("packageName", package);
    GrpcAnswer answer;
    const auto found = others_.find({schema, package});
    if (found == others_.end()) return answer;
    for (const OtherBlob* const blob : found->second) {
        auto message = encode_struct(blob->value);
        if (!message)
            return failure(GrpcStatus::resource_exhausted, "a blob is nested more than 1000 levels deep");
        answer.add_message(*message);
    }
    return answer;
}

} // namespace opcat::serve
