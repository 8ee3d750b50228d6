#include "opcat/legacy_index/legacy_index.hpp"

#include "opcat/base/base64.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/regular_file.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/go/decode.hpp"
#include "opcat/go/fields.hpp"
#include "opcat/legacy_index/database.hpp"
#include "opcat/lint/lint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace opcat {
namespace {

using legacy::Row;

std::string text(const std::optional<std::string_view>& column) {
    return std::string(column.value_or(""));
}

std::optional<int64_t> number(const std::optional<std::string_view>& column) {
    int64_t value = 0;
    if (!column || std::from_chars(column->data(), column->data() + column->size(), value).ec != std::errc())
        return std::nullopt;
    return value;
}

struct PackageRow {
    std::string default_channel;
    std::map<std::string, std::string> heads; // by channel
};

class Loader {
public:
    Loader(const std::filesystem::path& file, const std::string& shown)
        : shown_(shown), database_(file.string(), shown) {}

    LoadedCatalog load() {
        check_schema();
        storage_->arenas.emplace_back();
        read_packages();
        read_edges();
        read_bundles();
        for (const auto& [name, package] : packages_) add_package(name, package);
        add_channels();
        for (const auto& [name, row] : bundles_)
            if (!row.packages.empty()) add_bundle(row);
        loaded_.catalog.storage.push_back(storage_);
        return std::move(loaded_);
    }

private:
    Arena& arena() { return storage_->arenas.front(); }
    Text keep(std::string_view words) { return {arena().copy(words), 0}; }
    void refuse(std::string message) {
        loaded_.diagnostics.push_back(error("legacy-index", {}, fmt::format("{}: {}", shown_, message)));
    }

    void check_schema() const {
        using Columns = std::vector<std::string_view>;
        const std::pair<std::string_view, Columns> tables[] = {
            {"package", {"name", "default_channel"}},
            {"channel", {"package_name", "name", "head_operatorbundle_name"}},
            {"channel_entry",
             {"entry_id", "package_name", "channel_name", "operatorbundle_name", "replaces", "depth"}},
            {"operatorbundle", {"name", "bundle", "bundlepath", "version", "skiprange"}},
            {"properties", {"operatorbundle_name", "type", "value"}},
            {"dependencies", {"operatorbundle_name", "type", "value"}},
            {"related_image", {"operatorbundle_name", "image"}}};
        for (const auto& [table, columns] : tables) database_.check_table(table, columns);
    }

    void read_packages() {
        database_.query("SELECT name, default_channel FROM package WHERE name IS NOT NULL", [&](Row row) {
            packages_.emplace(text(row[0]), PackageRow{text(row[1]), {}});
        });
        database_.query("SELECT package_name, name, head_operatorbundle_name FROM channel", [&](Row row) {
            const auto package = packages_.find(text(row[0]));
            if (package != packages_.end()) package->second.heads.emplace(text(row[1]), text(row[2]));
        });
    }

    void read_edges() {
        std::vector<legacy::EdgeRow> rows;
        database_.query("SELECT entry_id, package_name, channel_name, operatorbundle_name, replaces, depth "
                        "FROM channel_entry",
                        [&](Row row) {
                            rows.push_back({number(row[0]).value_or(0), text(row[1]), text(row[2]),
                                            text(row[3]), number(row[4]), number(row[5])});
                        });
        edges_ = legacy::upgrade_edges(rows);
    }

    void read_bundles() {
        database_.query("SELECT name, bundle, bundlepath, version, skiprange FROM operatorbundle "
                        "WHERE name IS NOT NULL AND bundlepath IS NOT NULL AND version IS NOT NULL",
                        [&](Row row) {
                            legacy::BundleRow bundle;
                            bundle.name = text(row[0]);
                            bundle.objects = text(row[1]);
                            bundle.image = text(row[2]);
                            bundle.version = text(row[3]);
                            bundle.skip_range = text(row[4]);
                            bundles_.emplace(bundle.name, std::move(bundle));
                        });
        const auto collect = [&](std::string_view sql,
                                 std::vector<legacy::TypedText> legacy::BundleRow::*list) {
            database_.query(sql, [&](Row row) {
                const auto bundle = bundles_.find(text(row[0]));
                if (bundle != bundles_.end() && row[1] && row[2])
                    (bundle->second.*list).push_back({text(row[1]), text(row[2])});
            });
        };
        collect("SELECT operatorbundle_name, type, value FROM properties", &legacy::BundleRow::properties);
        collect("SELECT operatorbundle_name, type, value FROM dependencies",
                &legacy::BundleRow::dependencies);
        database_.query("SELECT operatorbundle_name, image FROM related_image WHERE image IS NOT NULL",
                        [&](Row row) {
                            const auto bundle = bundles_.find(text(row[0]));
                            if (bundle != bundles_.end()) bundle->second.images.insert(text(row[1]));
                        });
        for (const auto& [place, edges] : edges_) {
            const auto bundle = bundles_.find(place.bundle);
            if (bundle != bundles_.end()) bundle->second.packages.insert(place.package);
        }
    }

    // The icon comes from the head of the default channel.
    void add_package(const std::string& name, const PackageRow& row) {
        Package package;
        package.name = keep(name);
        package.default_channel = keep(row.default_channel);
        const auto head = row.heads.find(row.default_channel);
        if (head == row.heads.end()) {
            refuse(
                fmt::format("package {} has no channel {}, which is its default", name, row.default_channel));
        } else {
            const auto bundle = bundles_.find(head->second);
            if (bundle == bundles_.end() || !edges_.contains({head->second, name, row.default_channel}))
                refuse(fmt::format("{}, the head of channel {} of package {}, is not in the index",
                                   head->second, row.default_channel, name));
            else
                package.icon = icon_of(bundle->second);
        }
        loaded_.catalog.packages.push_back(package);
    }

    std::optional<Icon> icon_of(const legacy::BundleRow& row) {
        const legacy::Objects objects = legacy::read_objects(row, *storage_);
        if (!objects.csv || !fits(row, *objects.csv, "ClusterServiceVersion")) {
            if (!objects.csv)
                refuse(
                    fmt::format("{}, the head of a default channel, has no ClusterServiceVersion", row.name));
            return std::nullopt;
        }
        const Value* const spec = find_field(*objects.csv, "spec", go::Route::text);
        const Value* const icons = spec ? find_field(*spec, "icon", go::Route::text) : nullptr;
        if (!icons || !icons->is_array() || icons->items().empty()) return std::nullopt;
        const auto field = [&](std::string_view name) {
            return std::string(field_text(icons->items()[0], name, go::Route::text));
        };
        std::string data = field("base64data");
        auto bytes = decode_base64(data);
        if (!bytes) {
            std::erase(data, ' ');
            bytes = decode_base64(data);
        }
        if (!bytes) {
            loaded_.diagnostics.push_back(warning(
                "legacy-index", {}, fmt::format("{}: the icon of {} is not base64", shown_, row.name)));
            return std::nullopt;
        }
        if (bytes->empty()) return std::nullopt;
        return Icon{arena().copy(encode_base64(*bytes)), arena().copy(field("mediatype"))};
    }

    void add_channels() {
        std::map<std::pair<std::string, std::string>, std::vector<ChannelEntry>> channels;
        for (const auto& [name, package] : packages_)
            for (const auto& [channel, head] : package.heads) channels[{name, channel}];
        for (const auto& [place, edges] : edges_) {
            const auto bundle = bundles_.find(place.bundle);
            if (bundle == bundles_.end()) continue;
            const auto channel = channels.find({place.package, place.channel});
            if (channel == channels.end()) {
                refuse(fmt::format("bundle {} is in channel {} of package {}, which does not exist",
                                   place.bundle, place.channel, place.package));
                continue;
            }
            std::vector<Text> skips;
            for (const std::string& skip : edges.skips) skips.push_back(keep(skip));
            channel->second.push_back({.name = keep(place.bundle),
                                       .replaces = keep(edges.replaces),
                                       .skips = arena().copy(std::span<const Text>(skips)),
                                       .skip_range = keep(bundle->second.skip_range)});
        }
        for (const auto& [names, entries] : channels) {
            Channel channel;
            channel.package = keep(names.first);
            channel.name = keep(names.second);
            channel.has_entries = true;
            channel.entries = arena().copy(std::span<const ChannelEntry>(entries));
            loaded_.catalog.channels.push_back(channel);
        }
    }

    void add_bundle(const legacy::BundleRow& row) {
        const legacy::Objects objects = legacy::read_objects(row, *storage_);
        if (!row.objects.empty() && !objects.csv) {
            refuse(objects.problem.empty() ? fmt::format("bundle {} has no ClusterServiceVersion", row.name)
                                           : fmt::format("the manifests of bundle {} are not JSON: {}",
                                                         row.name, objects.problem));
            return;
        }
        if (objects.csv && !fits(row, *objects.csv, "CsvWithRelatedImages")) return;
        const auto images = legacy::related_images(row, objects, arena());
        for (const std::string& package : row.packages) {
            Diagnostics problems;
            const std::vector<Property> properties =
                legacy::properties_of(row, package, objects, *storage_, problems);
            for (const Diagnostic& problem : problems)
                refuse(fmt::format("bundle {}: {}", row.name, problem.message));
            Bundle bundle;
            bundle.name = keep(row.name);
            bundle.package = keep(package);
            bundle.image = keep(row.image);
            bundle.properties = arena().copy(std::span<const Property>(properties));
            bundle.related_images = arena().copy(std::span<const RelatedImage>(images));
            loaded_.catalog.bundles.push_back(bundle);
        }
    }

    bool fits(const legacy::BundleRow& row, const Value& csv, std::string_view type) {
        const auto misfit = go::find_misfit(csv, go::type_named(type), go::Route::text);
        if (misfit) refuse(fmt::format("the ClusterServiceVersion of {}: {}", row.name, misfit->message()));
        return !misfit;
    }

    std::string shown_;
    legacy::Database database_;
    std::map<std::string, PackageRow> packages_;
    std::map<std::string, legacy::BundleRow> bundles_;
    std::map<legacy::BundleInChannel, legacy::Edges> edges_;
    std::shared_ptr<CatalogStorage> storage_ = std::make_shared<CatalogStorage>();
    LoadedCatalog loaded_;
};

bool is_error(const Diagnostic& finding) {
    return finding.severity == Severity::error;
}

} // namespace

bool is_legacy_index(const std::filesystem::path& file) {
    constexpr std::string_view magic("SQLite format 3\0", 16);
    std::array<char, magic.size()> start{};
    return RegularFile(file).next(start) == magic;
}

LoadedCatalog load_legacy_index(const std::filesystem::path& file, ThreadPool& pool,
                                const std::string& shown) {
    const std::string name = shown.empty() ? file.string() : shown;
    LoadedCatalog loaded = Loader(file, name).load();
    // opm makes a model of the database and validates it, as it does with a catalog.
    if (std::none_of(loaded.diagnostics.begin(), loaded.diagnostics.end(), is_error)) {
        Diagnostics found = find_errors(loaded.catalog, pool);
        std::move(found.begin(), found.end(), std::back_inserter(loaded.diagnostics));
    }
    loaded.diagnostics.insert(
        loaded.diagnostics.begin(),
        warning("legacy-index", {}, fmt::format("{} is an index database, a format that is deprecated", name),
                "render it once and keep the result: catalogs are files"));
    return loaded;
}

} // namespace opcat
