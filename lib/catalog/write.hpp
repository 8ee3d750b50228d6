// Catalogs as text, byte for byte as opm writes them (docs/spec/opm.md, "Writing").
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/document/value.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opcat {

enum class Format : uint8_t { json, yaml };

// Receives pieces of the text in order, one at a time, on any thread of the pool. `package` is the package of
// the piece; the pieces of one package are consecutive.
using TextSink = std::function<void(std::string_view package, std::string_view text)>;

// All threads of the pool format blobs, a limited number at a time, so that memory stays bounded for catalogs
// of any size; meanwhile one of them gives the texts of the round before to the sink. Throws Error for a
// string that opm cannot write as YAML (see document/yaml_writer.hpp).
void write_catalog(const Catalog& catalog, Format format, ThreadPool& pool, const TextSink& sink);

// Writes each package to ROOT/PACKAGE/catalog.json or .yaml, and blobs without a package to ROOT/catalog.*.
// ROOT must be new or empty, and appears complete. Throws Error before anything is written if it is not, or
// if the name of a package is not a single path element.
void write_catalog_directory(const Catalog& catalog, Format format, const std::filesystem::path& root,
                             ThreadPool& pool);

// Throws Error if the name of a "package", a "bundle" or a "channel" cannot be that of a directory or a file.
void check_is_path_element(std::string_view kind, std::string_view name);

using AnyBlob =
    std::variant<const Package*, const Channel*, const Bundle*, const Deprecations*, const OtherBlob*>;

enum class BlobKind : uint8_t { package, channel, bundle, deprecations, other };

// The sort key of a blob in the stream. Refers to the blob.
struct BlobKey {
    BlobKind kind;
    std::string_view package;
    std::string_view name; // for blobs of other schemas, the schema
};
BlobKey key_of(const AnyBlob& blob);

// Returns true if writing leaves the blob out, as in opm: it is of one of the kinds of a package and does not
// name one.
bool is_dropped(const AnyBlob& blob);

struct PackageOrder {
    std::string_view package;  // empty: blobs without one
    std::vector<size_t> blobs; // indexes into the keys
};

// The order in which opm writes blobs that it has read in this order: by package; in each, packages, channels
// and bundles by name, others by schema, then the deprecations. Blobs without a package come last in their
// own order. Like opm, this drops packages, channels, bundles and deprecations that do not name a package.
// O(n log n).
std::vector<PackageOrder> order_of(const std::vector<BlobKey>& keys);

// All blobs in the order of the catalog, one kind after the other. Pointers into `catalog`.
std::vector<AnyBlob> blobs_of(const Catalog& catalog);

// Appends the blob in the format of `write_catalog`. Throws Error like that.
void append_blob(std::string& out, const AnyBlob& blob, Format format);

struct PackageBlobs {
    std::string_view package; // empty: blobs without one
    std::vector<AnyBlob> blobs;
};

// All blobs in the order of `order_of`. Pointers into `catalog`.
std::vector<PackageBlobs> by_package(const Catalog& catalog);

// The blob in opm's normalised form (docs/spec/opm.md, "Writing"): the fields of its schema in their fixed
// order, without unknown and empty ones; free-form values with sorted keys (unless they have their own JSON
// text); properties with manifests after the others; related images sorted by image. The value lives as long
// as the catalog's storage and the arena.
Value to_value(const Package& package, Arena& arena);
Value to_value(const Channel& channel, Arena& arena);
// `for_json`: the value is to be written as JSON, with the JSON texts of properties as they are.
Value to_value(const Bundle& bundle, Arena& arena, bool for_json = false);
Value to_value(const Deprecations& deprecations, Arena& arena);
Value to_value(const OtherBlob& blob, Arena& arena);

} // namespace opcat
