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

// Receives pieces of the text in order, on the calling thread. `package` is the one that the piece belongs
// to; the pieces of one package follow each other.
using TextSink = std::function<void(std::string_view package, std::string_view text)>;

// Blobs are formatted on all threads of the pool, some at a time, so that memory stays bounded however large
// the catalog. Throws Error for a string that opm cannot write as YAML (see document/yaml_writer.hpp).
void write_catalog(const Catalog& catalog, Format format, ThreadPool& pool, const TextSink& sink);

// Writes each package to ROOT/PACKAGE/catalog.json or .yaml, and blobs without a package to ROOT/catalog.*;
// ROOT is new or empty, and appears with all that is in it. Throws Error, before anything is written, if it
// is not, or if the name of a package is not a single element of a path.
void write_catalog_directory(const Catalog& catalog, Format format, const std::filesystem::path& root,
                             ThreadPool& pool);

using AnyBlob =
    std::variant<const Package*, const Channel*, const Bundle*, const Deprecations*, const OtherBlob*>;

// The blobs of one package, in the order in which they are written: packages, channels and bundles each by
// name, the deprecations, others by schema.
struct PackageBlobs {
    std::string_view package; // empty: blobs without one
    std::vector<AnyBlob> blobs;
};

// All blobs by package; last those without one, in the order of the catalog. Of these only blobs of other
// schemas are there: like opm, this loses packages, channels, bundles and deprecations that name no package.
// Pointers into `catalog`.
std::vector<PackageBlobs> by_package(const Catalog& catalog);

// The blob in opm's normalised form (docs/spec/opm.md, "Writing"): the fields of its schema in
// their fixed order, without unknown and empty ones; free-form values with sorted keys (unless they have a
// JSON text of their own); properties that carry manifests after the others; related images by image. The
// value lives as long as the catalog's storage and the arena.
Value to_value(const Package& package, Arena& arena);
Value to_value(const Channel& channel, Arena& arena);
// `for_json`: the value is to be written as JSON, with the JSON texts of properties as they are.
Value to_value(const Bundle& bundle, Arena& arena, bool for_json = false);
Value to_value(const Deprecations& deprecations, Arena& arena);
Value to_value(const OtherBlob& blob, Arena& arena);

} // namespace opcat
