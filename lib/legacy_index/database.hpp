// Index databases: reads their tables, and turns the rows of a bundle into a catalog's bundle.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace opcat::legacy {

// Columns of one row as text; NULL is nothing. The text is valid until the next row.
using Row = std::span<const std::optional<std::string_view>>;

// An untrusted SQLite file, read-only.
// Nothing is written, neither to the file nor next to it; no extension is loaded, and the file's own views
// and functions are not trusted. The size of values is limited; the work and the result of a query are
// limited by the size of the file. Throws Error if the file cannot be opened, is not a database, or is
// damaged.
class Database {
public:
    // `shown` is the file's name in messages.
    Database(const std::string& path, const std::string& shown);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    // `sql` is a constant of the program, and reads tables that have been checked. One query at a time.
    void query(std::string_view sql, const std::function<void(Row)>& each) const;
    // Throws Error if the table or one of the columns is missing, or if they are computed.
    void check_table(std::string_view table, std::span<const std::string_view> columns) const;

private:
    void allow_work() const;
    [[noreturn]] void fail(std::string_view doing) const;
    [[noreturn]] void fail_as_endless() const;

    std::string shown_;
    sqlite3* handle_ = nullptr;
    uint64_t size_ = 0;
    mutable uint64_t looks_left_ = 0; // until a query is ended
};

struct TypedText {
    std::string type;
    std::string json;
};

// One bundle of a legacy index.
struct BundleRow {
    std::string name, image, version, skip_range;
    std::string objects; // manifests as JSON, one after the other; empty if they are only in the image
    std::vector<TypedText> properties, dependencies;
    std::set<std::string> images;
    std::set<std::string> packages; // that contain it
};

struct Objects {
    std::vector<std::string_view> texts;
    std::optional<Value> csv; // the first ClusterServiceVersion
    std::string problem;      // why the others are missing
};

// The manifests; their memory belongs to the storage.
Objects read_objects(const BundleRow& row, CatalogStorage& storage);

// Those of the ClusterServiceVersion, then those that only the database has, which have no name.
std::vector<RelatedImage> related_images(const BundleRow& row, const Objects& objects, Arena& arena);

// Sorted by type and value, without duplicates.
std::vector<Property> properties_of(const BundleRow& row, const std::string& package, const Objects& objects,
                                    CatalogStorage& storage, Diagnostics& problems);

// A row of the table channel_entry: an edge into a bundle, from the bundle of the entry that it replaces.
struct EdgeRow {
    int64_t id = 0;
    std::string package, channel, bundle;
    std::optional<int64_t> replaces;
    std::optional<int64_t> depth; // in its channel; heads have the least depth
};

struct BundleInChannel {
    std::string bundle, package, channel;
    friend auto operator<=>(const BundleInChannel&, const BundleInChannel&) = default;
};

struct Edges {
    std::string replaces; // empty: nothing
    std::vector<std::string> skips;
};

// The rows as edges of a catalog: edges on the paths along `replaces` from all heads become `replaces` (of
// several, the last bundle by name), all others become skips, in the order of their rows.
std::map<BundleInChannel, Edges> upgrade_edges(const std::vector<EdgeRow>& rows);

} // namespace opcat::legacy
