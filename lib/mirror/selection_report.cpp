#include "opcat/mirror/selection_report.hpp"

#include "opcat/base/json.hpp"
#include "opcat/filter/entry_chain.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat {

std::string selection_as_json(const MirrorSelection& selection) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const SelectedCatalog& one : selection.catalogs) {
        Json packages = Json::object();
        for (const PackageIndex& index : index_packages(*one.catalog)) {
            if (index.name.empty()) continue;
            Json channels = Json::object();
            for (const Channel* const channel : index.channels) {
                Json& entries = channels[std::string(channel->name)] = Json::array();
                for (const ChannelEntry& entry : channel->entries) entries.push_back(entry.name.text);
            }
            packages[std::string(index.name)] = {
                {"defaultChannel",
                 index.packages.empty() ? std::string_view() : index.packages.front()->default_channel.text},
                {"channels", std::move(channels)},
                {"bundles", blob_names(index.bundles)}};
        }
        Json& item = list.emplace_back(Json{{"catalog", one.reference}, {"packages", std::move(packages)}});
        for (const BlockedBundle& blocked : one.blocked)
            item["blocked"].push_back({{"package", blocked.bundle->package.text},
                                       {"bundle", blocked.bundle->name.text},
                                       {"image", blocked.image}});
    }
    return as_document(Json{{"schema", "opcat.mirror-selection.v1"},
                            {"catalogs", std::move(list)},
                            {"additionalImages", selection.images}});
}

std::string selection_as_rows(const MirrorSelection& selection) {
    std::string rows = "CATALOG\tPACKAGE\tCHANNEL\tHEAD\tVERSIONS\n";
    for (const SelectedCatalog& one : selection.catalogs)
        for (const PackageIndex& index : index_packages(*one.catalog))
            for (const Channel* const channel : index.channels) {
                const auto chain = EntryChain::of(*channel);
                const bool is_default =
                    !index.packages.empty() && index.packages.front()->default_channel == channel->name;
                rows += fmt::format("{}\t{}\t{}{}\t{}\t{}\n", one.reference, index.name, channel->name.text,
                                    is_default ? " (default)" : "",
                                    chain ? chain->head() : std::string_view(), channel->entries.size());
            }
    return rows;
}

} // namespace opcat
