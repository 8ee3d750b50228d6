#include "opcat/graph/contents.hpp"

#include "opcat/base/json.hpp"
#include "opcat/catalog/properties.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/graph/json.hpp"

#include <algorithm>
#include <map>

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
    const Value* const spec = find_field(*object, "spec", route);
    const Value* const name = spec ? find_field(*spec, "displayName", route) : nullptr;
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
        return std::string(field_text(*property.value, "displayName"));
    }
    return {};
}

} // namespace

std::vector<PackageRow> list_packages(const UpgradeGraph& graph, CsvSource source) {
    std::vector<PackageRow> rows;
    for (const PackageGraph& package : graph.packages) {
        if (!package.package) continue;
        PackageRow row{&package, {}, package.package->default_channel};
        if (const ChannelGraph* channel = package.find_channel(row.default_channel))
            if (const NodeId head = channel->head(); head != no_node && package.nodes[head].bundle)
                row.display_name = display_name(*package.nodes[head].bundle, source);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<ChannelRow> list_channels(const PackageGraph& package) {
    std::vector<ChannelRow> rows;
    for (const ChannelGraph& channel : package.channels) {
        const NodeId head = channel.head();
        rows.push_back({&package, &channel, head == no_node ? std::string_view() : package.nodes[head].name});
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

std::vector<ImageRow> list_images(const Catalog& catalog) {
    std::map<std::string_view, ImageRow> images;
    for (const Bundle& bundle : catalog.bundles) {
        const auto row_of = [&](std::string_view image) -> ImageRow& {
            ImageRow& row = images[image];
            row.image = image;
            if (row.bundles.empty() || row.bundles.back() != &bundle) row.bundles.push_back(&bundle);
            return row;
        };
        if (!bundle.image.empty()) row_of(bundle.image).is_bundle = true;
        for (const RelatedImage& related : bundle.related_images)
            if (!related.image.empty() && related.image.text != bundle.image.text)
                row_of(related.image).is_related = true;
    }
    std::vector<ImageRow> rows;
    rows.reserve(images.size());
    for (auto& [image, row] : images) rows.push_back(std::move(row));
    return rows;
}

namespace {

template <typename Row, typename AsJson>
std::string document(const char* what, const std::vector<Row>& rows, AsJson as_json) {
    Json list = Json::array();
    for (const Row& row : rows) list.push_back(as_json(row));
    return as_document(Json{{"schema", "opcat.list.v1"}, {what, std::move(list)}});
}

void put_deprecation(Json& json, const DeprecationEntry* deprecation) {
    if (deprecation) json["deprecated"] = deprecation->message.text;
}

} // namespace

std::string rows_as_json(const std::vector<PackageRow>& rows) {
    return document("packages", rows, [](const PackageRow& row) {
        Json json = {{"name", row.package->name},
                     {"displayName", row.display_name},
                     {"defaultChannel", row.default_channel},
                     {"channels", row.package->channels.size()}};
        put_deprecation(json, row.package->deprecation);
        return json;
    });
}

std::string rows_as_json(const std::vector<ChannelRow>& rows) {
    return document("channels", rows, [](const ChannelRow& row) {
        Json json = {{"package", row.package->name},
                     {"name", row.channel->name},
                     {"head", row.head},
                     {"default", row.channel->is_default},
                     {"entries", row.channel->entries.size()}};
        put_deprecation(json, row.channel->deprecation);
        return json;
    });
}

std::string rows_as_json(const std::vector<BundleRow>& rows) {
    return document("bundles", rows, [](const BundleRow& row) {
        Json json = {{"package", row.package->name},
                     {"channel", row.channel->name},
                     {"name", row.node->name},
                     {"version", row.node->version_text}};
        const ChannelEntry& entry = *row.entry->source;
        if (!entry.replaces.empty()) json["replaces"] = entry.replaces.text;
        for (const Text& skip : entry.skips) json["skips"].push_back(skip.text);
        if (!entry.skip_range.empty()) json["skipRange"] = entry.skip_range.text;
        json["image"] = row.node->bundle ? row.node->bundle->image.text : std::string_view();
        put_deprecation(json, row.node->deprecation);
        return json;
    });
}

std::string rows_as_json(const std::vector<ImageRow>& rows) {
    return document("images", rows, [](const ImageRow& row) {
        Json json = {{"image", row.image}, {"bundle", row.is_bundle}, {"related", row.is_related}};
        for (const Bundle* bundle : row.bundles)
            json["of"].push_back({{"package", bundle->package.text}, {"name", bundle->name.text}});
        return json;
    });
}

std::string_view to_string(Support::State state) {
    switch (state) {
    case Support::State::unknown:
        return "unknown";
    case Support::State::not_begun:
        return "not begun";
    case Support::State::supported:
        return "supported";
    case Support::State::ended:
        return "ended";
    }
    return {};
}

std::vector<LifecycleRow> list_lifecycles(const Catalog& catalog, std::string_view package, Date at) {
    std::vector<LifecycleRow> rows;
    for (const OtherBlob& blob : catalog.others) {
        if (blob.schema != schema::lifecycles || (!package.empty() && blob.package != package)) continue;
        for (LifecycleVersion& version : read_lifecycle(blob).versions) {
            LifecycleRow row{blob.package, std::move(version), {}, {}};
            row.support = support_at(row.version, at);
            if (row.support.phase) row.phase = row.support.phase->name.text;
            row.support.phase = nullptr;
            rows.push_back(std::move(row));
        }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const LifecycleRow& a, const LifecycleRow& b) { return a.package < b.package; });
    return rows;
}

std::string rows_as_json(const std::vector<LifecycleRow>& rows) {
    return document("lifecycles", rows, [](const LifecycleRow& row) {
        Json json = {{"package", row.package},
                     {"version", row.version.name.text},
                     {"support", to_string(row.support.state)}};
        if (!row.phase.empty()) json["phase"] = row.phase;
        json["phases"] = Json::array();
        for (const LifecyclePhase& phase : row.version.phases)
            json["phases"].push_back({{"name", phase.name.text},
                                      {"startDate", phase.start_text.text},
                                      {"endDate", phase.end_text.text}});
        for (const LifecyclePlatform& platform : row.version.platforms) {
            Json versions = Json::array();
            for (const Text& version : platform.versions) versions.push_back(version.text);
            json["platforms"].push_back({{"name", platform.name.text}, {"versions", std::move(versions)}});
        }
        return json;
    });
}

} // namespace opcat
