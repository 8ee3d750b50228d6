// The contents of a catalog, as rows to print.
#pragma once

#include "opcat/catalog/lifecycle.hpp"
#include "opcat/olm/package_graph.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct PackageRow {
    const PackageGraph* package;
    std::string display_name; // what the CSV of the default channel's head says
    std::string_view default_channel;
};

// Sources of a display name: opm only uses manifests in the catalog.
enum class CsvSource : uint8_t { objects, objects_and_metadata };

// By package.
std::vector<PackageRow> list_packages(const UpgradeGraph& graph, CsvSource source);

struct ChannelRow {
    const PackageGraph* package;
    const ChannelGraph* channel;
    std::string_view head; // empty: there is none, or several
};

// By package and channel.
std::vector<ChannelRow> list_channels(const PackageGraph& package);

struct BundleRow {
    const PackageGraph* package;
    const ChannelGraph* channel;
    const GraphEntry* entry;
    const GraphNode* node;
};

enum class BundleOrder : uint8_t { name, version };

// A row for each channel of a bundle, sorted by channel and then as `order` says: by name, which is opm's
// order, or by version, the lowest first, with bundles without a version last.
std::vector<BundleRow> list_bundles(const PackageGraph& package, BundleOrder order);

// An image that a catalog names.
struct ImageRow {
    std::string_view image;
    bool is_bundle = false;             // it is the image of a bundle itself
    bool is_related = false;            // a bundle needs it
    std::vector<const Bundle*> bundles; // its bundles, in the order of the catalog
};

// Each image once, by its pull spec. O(n log n).
std::vector<ImageRow> list_images(const Catalog& catalog);

// A version of an operator and its support on a day.
struct LifecycleRow {
    std::string_view package;
    LifecycleVersion version;
    Support support;   // refers to no phase
    std::string phase; // that the day is in; empty: none
};
std::string_view to_string(Support::State state);

// Returns the rows of all packages or of one, by package and in the order of their lifecycles. Refers to the
// catalog.
std::vector<LifecycleRow> list_lifecycles(const Catalog& catalog, std::string_view package, Date at);

// One JSON object of schema "opcat.list.v1" (docs/json-output.md), with a line break at the end.
std::string rows_as_json(const std::vector<PackageRow>& rows);
std::string rows_as_json(const std::vector<ChannelRow>& rows);
std::string rows_as_json(const std::vector<BundleRow>& rows);
std::string rows_as_json(const std::vector<ImageRow>& rows);
std::string rows_as_json(const std::vector<LifecycleRow>& rows);

} // namespace opcat
