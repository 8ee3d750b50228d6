#include "graph/contents.hpp"

#include "catalog/properties.hpp"
#include "document/stream.hpp"
#include "go/decode.hpp"
#include "go/fields.hpp"

#include <algorithm>

namespace opcat {
namespace {

// A manifest that is a CSV says so; anything that cannot be read is none.
std::string display_name_of_manifest(std::string_view manifest, bool& is_csv) {
    const SourceFile file("manifest", manifest);
    Diagnostics problems;
    const auto documents = split_into_documents(file, problems);
    if (documents.empty()) return {};
    Arena arena;
    Diagnostic problem;
    const auto object = read_document(file, documents.front(), arena, problem);
    if (!object) return {};
    const Value* const kind = object->find("kind");
    if (!kind || kind->string_or_empty() != "ClusterServiceVersion") return {};
    is_csv = true;
    // One that Go does not decode as a whole has no name for opm.
    const auto route = documents.front().notation == Notation::json ? go::Route::text : go::Route::map;
    if (go::find_misfit(*object, go::type_named("ClusterServiceVersion"), route)) return {};
    const Value* const spec = find_field(*object, "spec");
    const Value* const name = spec ? find_field(*spec, "displayName") : nullptr;
    return std::string(name ? name->string_or_empty() : std::string_view());
}

std::string display_name(const Bundle& bundle, CsvSource source) {
    for (const Property& property : bundle.properties) {
        const auto manifest = manifest_in(property);
        bool is_csv = false;
        std::string name = manifest ? display_name_of_manifest(*manifest, is_csv) : "";
        if (is_csv) return name;
    }
    if (source == CsvSource::objects) return {};
    for (const Property& property : bundle.properties) {
        if (property.type != property_type::csv_metadata || !property.value) continue;
        const Value* const name = property.value->find("displayName");
        return std::string(name ? name->string_or_empty() : std::string_view());
    }
    return {};
}

// As opm finds it: to OLM classic an entry that replaces or skips itself is a head nevertheless, here it is
// none.
const GraphNode* head_of(const PackageGraph& package, const ChannelGraph& channel) {
    std::vector<bool> left_behind(package.nodes.size());
    for (const GraphEntry& entry : channel.entries) {
        if (entry.replaces != no_node) left_behind[entry.replaces] = true;
        for (const NodeId skip : package.skips_of(entry)) left_behind[skip] = true;
    }
    const GraphNode* head = nullptr;
    for (const GraphEntry& entry : channel.entries) {
        if (left_behind[entry.node]) continue;
        if (head) return nullptr;
        head = &package.nodes[entry.node];
    }
    return head;
}

} // namespace

std::vector<PackageRow> list_packages(const UpgradeGraph& graph, CsvSource source) {
    std::vector<PackageRow> rows;
    for (const PackageGraph& package : graph.packages) {
        if (!package.package) continue;
        PackageRow row{&package, {}, package.package->default_channel};
        if (const ChannelGraph* channel = package.find_channel(row.default_channel))
            if (const GraphNode* head = head_of(package, *channel); head && head->bundle)
                row.display_name = display_name(*head->bundle, source);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<ChannelRow> list_channels(const PackageGraph& package) {
    std::vector<ChannelRow> rows;
    for (const ChannelGraph& channel : package.channels) {
        const GraphNode* const head = head_of(package, channel);
        rows.push_back({&package, &channel, head ? head->name : std::string_view()});
    }
    return rows;
}

std::vector<BundleRow> list_bundles(const PackageGraph& package, BundleOrder order) {
    const auto is_before = [order](const BundleRow& a, const BundleRow& b) {
        if (order == BundleOrder::version) {
            if (!a.node->version != !b.node->version) return a.node->version.has_value();
            if (a.node->version && *a.node->version != *b.node->version)
                return *a.node->version < *b.node->version;
        }
        return a.node->name < b.node->name;
    };
    std::vector<BundleRow> rows;
    for (const ChannelGraph& channel : package.channels) {
        const size_t begin = rows.size();
        for (const GraphEntry& entry : channel.entries)
            rows.push_back({&package, &channel, &entry, &package.nodes[entry.node]});
        std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(), is_before);
    }
    return rows;
}

} // namespace opcat
