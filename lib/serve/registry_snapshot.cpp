#include "opcat/serve/registry_snapshot.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/document/normalise.hpp"
#include "opcat/olm/package_graph.hpp"
#include "opcat/serve/protobuf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
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

// The most recently used stay, up to a number of bytes. Clients that read slowly keep others: all of them are
// shared, and there are not more than a number of bytes of those either.
struct RegistrySnapshot::ManifestCache {
    static constexpr size_t most_bytes = size_t{16} << 20;
    static constexpr size_t most_live_bytes = size_t{32} << 20;
    using Key = const BundleRecord*;
    using Item = std::pair<Key, std::shared_ptr<const std::string>>;

    std::shared_ptr<const std::string> find(Key key) {
        const std::lock_guard lock(mutex);
        if (const auto found = places.find(key); found != places.end()) {
            items.splice(items.begin(), items, found->second);
            return found->second->second;
        }
        const auto found = held.find(key);
        return found == held.end() ? nullptr : found->second.lock();
    }
    // Null: there are too many already.
    std::shared_ptr<const std::string> add(Key key, std::string made) {
        if (auto known = find(key)) return known; // another thread was faster
        const size_t size = made.size();
        const size_t before = live->fetch_add(size);
        if (before > 0 && before + size > most_live_bytes) {
            live->fetch_sub(size);
            return nullptr;
        }
        const std::shared_ptr<const std::string> manifests(new std::string(std::move(made)),
                                                           [count = live](const std::string* text) {
                                                               count->fetch_sub(text->size());
                                                               delete text;
                                                           });
        const std::lock_guard lock(mutex);
        held[key] = manifests;
        if (size > most_bytes || places.contains(key)) return manifests;
        items.emplace_front(key, manifests);
        places.emplace(key, items.begin());
        bytes += size;
        while (bytes > most_bytes) {
            bytes -= items.back().second->size();
            places.erase(items.back().first);
            items.pop_back();
        }
        return manifests;
    }

    std::mutex mutex;
    std::list<Item> items;
    std::unordered_map<Key, std::list<Item>::iterator> places;
    std::unordered_map<Key, std::weak_ptr<const std::string>> held; // one for each bundle at most
    size_t bytes = 0;
    // Manifests may be released after the cache.
    std::shared_ptr<std::atomic<size_t>> live = std::make_shared<std::atomic<size_t>>(0);
};

namespace {

constexpr size_t prefix_bytes = 5; // of message_prefix()

} // namespace

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
    const auto found =
        std::lower_bound(entries.begin(), entries.end(), name_,
                         [](const EntryRecord& record, std::string_view n) { return record.name < n; });
    return found != entries.end() && found->name == name_ ? &*found : nullptr;
}

const RegistrySnapshot::ChannelRecord* RegistrySnapshot::PackageRecord::find(std::string_view channel) const {
    return find_by_name(channels, channel);
}

const RegistrySnapshot::PackageRecord* RegistrySnapshot::find(std::string_view package) const {
    return find_by_name(packages_, package);
}

std::shared_ptr<const RegistrySnapshot>
RegistrySnapshot::make(std::shared_ptr<const CatalogDocument> document, ThreadPool& pool,
                       const Check& is_good) {
    const std::shared_ptr<RegistrySnapshot> made(new RegistrySnapshot(std::move(document)));
    return made->add_all(pool, is_good) ? made : nullptr;
}

RegistrySnapshot::RegistrySnapshot(std::shared_ptr<const CatalogDocument> document)
    : document_(std::move(document)), manifests_(std::make_unique<ManifestCache>()) {}

namespace {

// Blobs of one package, wherever they are in the catalog.
struct PackageLines {
    std::vector<size_t> lines;
    size_t bytes = 0;
};

std::vector<PackageLines> lines_by_package(const CatalogDocument& document) {
    std::unordered_map<std::string_view, size_t> places;
    std::vector<PackageLines> packages;
    for (size_t i = 0; i < document.lines(); ++i) {
        const CatalogDocument::LineView line = document.line(i);
        const std::string_view name = line.schema == schema::package ? line.name : line.package;
        const auto [place, is_new] = places.try_emplace(name, packages.size());
        if (is_new) packages.emplace_back();
        packages[place->second].lines.push_back(i);
        packages[place->second].bytes += line.text.size();
    }
    return packages;
}

} // namespace

// Which line each blob comes from, by its place in the text of some lines.
class RegistrySnapshot::LineFinder {
public:
    LineFinder(const CatalogDocument& document, const std::vector<size_t>& lines) : lines_(lines) {
        size_t offset = 0;
        for (const size_t line : lines) {
            offsets_.push_back(offset);
            offset += document.line(line).text.size();
        }
    }
    size_t line_of(const Blob& blob) const {
        const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), blob.value.offset());
        return lines_[static_cast<size_t>(after - offsets_.begin()) - 1];
    }

private:
    const std::vector<size_t>& lines_;
    std::vector<size_t> offsets_;
};

bool RegistrySnapshot::add_all(ThreadPool& pool, const Check& is_good) {
    constexpr size_t part_bytes = size_t{4} << 20;
    const std::vector<PackageLines> packages = lines_by_package(*document_);
    std::vector<size_t> lines;
    size_t bytes = 0;
    for (size_t i = 0; i < packages.size(); ++i) {
        lines.insert(lines.end(), packages[i].lines.begin(), packages[i].lines.end());
        bytes += packages[i].bytes;
        if (bytes < part_bytes && i + 1 < packages.size()) continue;
        const LoadedCatalog part = load_lines(*document_, lines, pool);
        if (!is_good(part)) return false;
        add(part.catalog, LineFinder(*document_, lines), pool);
        lines.clear();
        bytes = 0;
    }
    std::sort(packages_.begin(), packages_.end(),
              [](const PackageRecord& a, const PackageRecord& b) { return a.name < b.name; });
    make_list_of_bundles();
    return true;
}

void RegistrySnapshot::add(const Catalog& part, const LineFinder& finder, ThreadPool& pool) {
    const UpgradeGraph graph = build_upgrade_graph(part, pool);
    std::vector<std::unordered_map<NodeId, BundleRecord*>> records(graph.packages.size());
    struct Task {
        BundleRecord* record;
        const Bundle* bundle;
        const Package* package;
        const DeprecationEntry* deprecation;
        std::vector<Api> provided;
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
                record->line = finder.line_of(*node.bundle);
                record->package_line = finder.line_of(*package.package);
                tasks.push_back({record, node.bundle, package.package, node.deprecation, {}});
            }
    }
    pool.for_each(tasks.size(), [&](size_t i) {
        Task& task = tasks[i];
        BundleRecord& record = *task.record;
        record.message = encode_bundle(*task.bundle, task.deprecation);
        task.provided = apis_of(*task.bundle, property_type::gvk);
        record.has_image = !task.bundle->image.empty();
        if (!record.has_image) record.manifests = encode_manifests(*task.bundle, *task.package);
    });
    for (Task& task : tasks)
        for (Api& api : task.provided) task.record->provided.push_back(&*apis_.insert(std::move(api)).first);

    for (size_t i = 0; i < graph.packages.size(); ++i) {
        const PackageGraph& source = graph.packages[i];
        PackageRecord& package = packages_.emplace_back();
        package.name = source.name;
        package.default_channel = source.package->default_channel;
        append_string(package.message, 1, package.name);
        package.channels.resize(source.channels.size());
        for (size_t j = 0; j < source.channels.size(); ++j) {
            const ChannelGraph& from = source.channels[j];
            ChannelRecord& channel = package.channels[j];
            channel.name = from.name;
            for (const GraphEntry& entry : from.entries) {
                const ChannelEntry& written = *entry.source;
                EntryRecord& record = channel.entries.emplace_back();
                record.name = written.name;
                record.replaces = written.replaces;
                for (const Text& skip : written.skips) record.skips.emplace_back(skip.text);
                record.bundle = records[i][entry.node];
                record.membership = encode_membership(channel.name, written);
                record.edges = encode_edges(written);
            }
            std::sort(channel.entries.begin(), channel.entries.end(),
                      [](const EntryRecord& a, const EntryRecord& b) { return a.name < b.name; });
            const NodeId head = from.head();
            assert(head != no_node);
            channel.head = channel.find(source.nodes[head].name);
            std::string message;
            append_string(message, 1, channel.name);
            append_string(message, 2, channel.head->name);
            append_deprecation(message, 3, from.deprecation);
            append_bytes(package.message, 2, message);
        }
        append_string(package.message, 3, package.default_channel);
        append_deprecation(package.message, 4, source.deprecation);
    }
    for (const OtherBlob& blob : part.others) {
        const size_t line = finder.line_of(blob);
        const CatalogDocument::LineView view = document_->line(line);
        others_[{view.schema, view.package}].push_back(line);
    }
}

// By channel, package and bundle.
void RegistrySnapshot::make_list_of_bundles() {
    struct Row {
        std::string_view channel;
        std::string_view package;
        EntryRecord* entry;
    };
    std::vector<Row> rows;
    size_t bytes = 0;
    for (PackageRecord& package : packages_)
        for (ChannelRecord& channel : package.channels)
            for (EntryRecord& entry : channel.entries) {
                bytes += prefix_bytes + entry.bundle->message.size() + entry.membership.size() +
                         entry.edges.size();
                rows.push_back({channel.name, package.name, &entry});
            }
    bundle_list_.reserve(bytes); // parts of it are referred to
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.channel < b.channel; });

    // Long parts are shared, and come between short ones.
    struct Insert {
        size_t at;
        std::string_view text;
    };
    std::vector<Insert> inserts;
    for (const Row& row : rows) {
        EntryRecord& entry = *row.entry;
        BundleRecord& bundle = *entry.bundle;
        const std::string_view message =
            bundle.listed_message.data() ? bundle.listed_message : std::string_view(bundle.message);
        bundle_list_ += message_prefix(message.size() + entry.membership.size() + entry.edges.size() +
                                       bundle.manifests.size());
        const size_t begin = bundle_list_.size();
        bundle_list_ += message;
        if (!bundle.listed_message.data()) {
            bundle.listed_message = std::string_view(bundle_list_).substr(begin, message.size());
            bundle.message = {};
        }
        bundle_list_ += entry.membership;
        bundle_list_ += entry.edges;
        entry.edges = {};
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
    answer.shared_body = &bundle_list_pieces_;
    answer.owners.push_back(shared_from_this());
    return answer;
}

LoadedCatalog RegistrySnapshot::read_lines(const std::vector<size_t>& lines) const {
    ThreadPool here(1);
    return load_lines(*document_, lines, here);
}

// Null: too many of them are still being sent.
std::shared_ptr<const std::string> RegistrySnapshot::manifests_of(const BundleRecord& bundle) const {
    if (!bundle.has_image) return {shared_from_this(), &bundle.manifests};
    if (auto known = manifests_->find(&bundle)) return known;
    const LoadedCatalog read = read_lines({bundle.line, bundle.package_line});
    assert(read.catalog.bundles.size() == 1 && read.catalog.packages.size() == 1);
    return manifests_->add(&bundle, encode_manifests(read.catalog.bundles[0], read.catalog.packages[0]));
}

// With manifests, and without replaces and skips.
GrpcAnswer RegistrySnapshot::bundle_answer(const EntryRecord& entry) const {
    GrpcAnswer answer;
    const auto manifests = manifests_of(*entry.bundle);
    if (!manifests)
        return failure(GrpcStatus::resource_exhausted, "other clients have not read what they asked for");
    answer.owners = {shared_from_this(), manifests};
    answer.add_message({entry.bundle->listed_message, entry.membership, *manifests});
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
        const auto& skips = entry.skips;
        if (entry.replaces == name || std::find(skips.begin(), skips.end(), name) != skips.end())
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
        append_string(message, 3, found.entry->name);
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
                const std::string_view replaces = entry.replaces;
                if (replaces == name) found.push_back({&package, &channel, &entry, replaces});
                for (const std::string& skip : entry.skips)
                    if (skip == name && skip != replaces)
                        found.push_back({&package, &channel, &entry, replaces});
            }
    return entries_answer(found, fmt::format("no channel entries found that replace {}", name));
}

std::vector<RegistrySnapshot::FoundEntry> RegistrySnapshot::providers(const Api& api, bool latest) const {
    std::vector<FoundEntry> found;
    const auto known = apis_.find(api);
    if (known == apis_.end()) return found;
    for (const PackageRecord& package : packages_)
        for (const ChannelRecord& channel : package.channels)
            for (const EntryRecord& entry : channel.entries) {
                if (latest && &entry != channel.head) continue;
                const auto& provided = entry.bundle->provided;
                if (std::find(provided.begin(), provided.end(), &*known) == provided.end()) continue;
                const std::string_view replaces = entry.replaces;
                found.push_back({&package, &channel, &entry, replaces});
                for (const std::string& skip : entry.skips)
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
    for (const size_t line : found->second) {
        const LoadedCatalog read = read_lines({line});
        assert(read.catalog.others.size() == 1);
        auto message = encode_struct(read.catalog.others[0].value);
        if (!message)
            return failure(GrpcStatus::resource_exhausted, "a blob is nested more than 1000 levels deep");
        answer.add_message(*message);
    }
    return answer;
}

} // namespace opcat::serve
