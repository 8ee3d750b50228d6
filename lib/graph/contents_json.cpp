#include "graph/contents_json.hpp"

#include "graph/json.hpp"

namespace opcat {
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

} // namespace opcat
