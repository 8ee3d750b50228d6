#include "opcat/authoring/migrate.hpp"

#include "opcat/catalog/properties.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/lint/csv_metadata.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace opcat {
namespace {

class Migration {
public:
    Migration(Bundle& bundle, Arena& arena, Diagnostics& diagnostics)
        : bundle_(bundle), arena_(arena), diagnostics_(diagnostics) {}

    void run() {
        std::vector<Property> properties(bundle_.properties.begin(), bundle_.properties.end());
        const auto is_metadata = [](const Property& p) { return p.type == property_type::csv_metadata; };
        if (bundle_.keep_unmodified || bundle_.image.empty() ||
            std::any_of(properties.begin(), properties.end(), is_metadata))
            return;
        replace_objects(properties);
        bundle_.properties = arena_.copy(std::span<const Property>(properties));
    }

private:
    // The first object that is a ClusterServiceVersion counts.
    void replace_objects(std::vector<Property>& properties) {
        for (const Property& property : properties) {
            const auto object = bundle_object_in(property);
            if (!object || !object->is_csv()) continue;
            if (!object->is_json && begins_as_json(*object->file)) { // opm makes JSON of other YAML only
                error(
                    property.offset,
                    "the ClusterServiceVersion in an olm.bundle.object begins with a brace, but is not JSON");
                return;
            }
            const auto made = csv_metadata_of(*object, arena_);
            if (!made) {
                error(property.offset,
                      fmt::format("the ClusterServiceVersion in an olm.bundle.object does not decode: {}",
                                  made.error()));
                return;
            }
            const Value value = *made;
            std::string json; // with the fields in opm's order
            append_compact_json(json, value);
            const Property metadata{{property_type::csv_metadata, 0},
                                    arena_.copy(std::span<const Value>(&value, 1)).data(),
                                    property.offset,
                                    arena_.copy(json)};
            std::erase_if(properties,
                          [](const Property& p) { return p.type == property_type::bundle_object; });
            properties.push_back(metadata);
            return;
        }
    }

    void error(uint32_t offset, std::string message) {
        diagnostics_.push_back({.rule = "csv-metadata",
                                .message = fmt::format("bundle {}: {}", bundle_.name.text, message),
                                .where = bundle_.at(offset),
                                .notes = {},
                                .help = {}});
    }

    Bundle& bundle_;
    Arena& arena_;
    Diagnostics& diagnostics_;
};

constexpr size_t bundles_per_task = 16;

} // namespace

Diagnostics migrate_to_csv_metadata(Catalog& catalog, ThreadPool& pool) {
    const size_t tasks = (catalog.bundles.size() + bundles_per_task - 1) / bundles_per_task;
    const auto storage = std::make_shared<CatalogStorage>();
    storage->arenas.resize(tasks);
    std::vector<Diagnostics> found(tasks);
    pool.for_each(tasks, [&](size_t task) {
        const size_t end = std::min((task + 1) * bundles_per_task, catalog.bundles.size());
        for (size_t i = task * bundles_per_task; i < end; ++i)
            Migration(catalog.bundles[i], storage->arenas[task], found[task]).run();
    });
    catalog.storage.push_back(storage);
    Diagnostics all;
    for (Diagnostics& some : found) std::move(some.begin(), some.end(), std::back_inserter(all));
    return all;
}

} // namespace opcat
