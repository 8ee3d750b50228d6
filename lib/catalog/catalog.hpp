// A file-based catalog: its packages, channels, bundles and deprecations, and blobs of any other schema
// (docs/spec/catalog-format.md). What is here is what was written, right or wrong: see lint/checks.hpp.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/document/value.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat {

namespace schema {
constexpr std::string_view package = "olm.package";
constexpr std::string_view channel = "olm.channel";
constexpr std::string_view bundle = "olm.bundle";
constexpr std::string_view deprecations = "olm.deprecations";
} // namespace schema

namespace property_type {
constexpr std::string_view package = "olm.package";
constexpr std::string_view package_required = "olm.package.required";
constexpr std::string_view gvk = "olm.gvk";
constexpr std::string_view gvk_required = "olm.gvk.required";
constexpr std::string_view constraint = "olm.constraint";
constexpr std::string_view channel = "olm.channel";
constexpr std::string_view bundle_object = "olm.bundle.object";
constexpr std::string_view csv_metadata = "olm.csv.metadata";
constexpr std::string_view max_openshift_version = "olm.maxOpenShiftVersion";
constexpr std::string_view label = "olm.label";
constexpr std::string_view label_required = "olm.label.required";
constexpr std::string_view deprecated = "olm.deprecated";
} // namespace property_type

// A string field and the byte where its value is in the blob's file. A field that is not there is empty
// and is where the blob begins.
struct Text {
    std::string_view text;
    uint32_t offset = 0;

    operator std::string_view() const {
        return text;
    } // NOLINT(google-explicit-constructor): a Text is a string
    bool empty() const { return text.empty(); }
    friend bool operator==(const Text& a, const Text& b) { return a.text == b.text; }
    friend bool operator==(const Text& a, std::string_view b) { return a.text == b; }
};

// What every blob has.
struct Blob {
    const SourceFile* file = nullptr; // nullptr: made by the program
    Value value;                      // the whole blob as it was read
    Text name;
    Text package;

    // The text itself where it is written as it is, without quotes; else where its value begins.
    Location at(const Text& text) const;
    Location at(uint32_t offset) const { return {file, offset, 1}; }
    Location start() const { return at(value.offset()); }
};

struct Property {
    Text type;
    const Value* value = nullptr; // nullptr: there is none
    uint32_t offset = 0;
    std::string_view json; // the value's JSON text, if that is to be written as it is; else empty
};

struct Icon {
    std::optional<std::string_view> base64; // canonical base64; nothing: not given
    std::string_view media_type;
};

struct Package : Blob {
    Text default_channel;
    std::optional<Icon> icon;
    Text description;
    std::span<const Property> properties;
};

struct ChannelEntry {
    Text name;
    Text replaces;
    std::span<const Text> skips;
    Text skip_range;
    uint32_t offset = 0;
};

struct Channel : Blob {
    bool has_entries = false; // the field is there, and not null
    std::span<const ChannelEntry> entries;
    std::span<const Property> properties;
};

struct RelatedImage {
    Text name;
    Text image;
};

struct Bundle : Blob {
    // opm orders what it renders, and migrates it if asked to, but not the bundles inside of a substitutes
    // template.
    bool keep_unmodified = false;
    Text image;
    std::span<const Property> properties;
    std::span<const RelatedImage> related_images;
};

struct DeprecationEntry {
    Text schema; // of what is deprecated
    Text name;
    Text message;
    uint32_t offset = 0;
};

struct Deprecations : Blob {
    bool has_entries = false;
    std::span<const DeprecationEntry> entries;
};

// A blob of a schema that has no meaning here.
struct OtherBlob : Blob {
    Text schema;
};

// Files and memory that blobs refer to. Whoever copies blobs out of a catalog keeps its storage with them.
struct CatalogStorage {
    std::vector<std::unique_ptr<SourceFile>> files;
    std::vector<Arena> arenas;
};

// In the order of the directory walk, and of the files.
struct Catalog {
    std::vector<Package> packages;
    std::vector<Channel> channels;
    std::vector<Bundle> bundles;
    std::vector<Deprecations> deprecations;
    std::vector<OtherBlob> others;
    std::vector<std::shared_ptr<const CatalogStorage>> storage;
};

// Puts the blobs of `from` after those of `into`.
void append(Catalog& into, Catalog&& from);

// All blobs that name one package, right or wrong: there may be no olm.package blob, or several.
struct PackageIndex {
    std::string_view name;
    std::vector<const Package*> packages;
    std::vector<const Channel*> channels;
    std::vector<const Bundle*> bundles;
    std::vector<const Deprecations*> deprecations;
    std::unordered_map<std::string_view, const Bundle*> bundle_by_name;   // the first of each name
    std::unordered_map<std::string_view, const Channel*> channel_by_name; // the first of each name
};

// In the order in which packages are first named. Pointers into `catalog`. Linear.
std::vector<PackageIndex> index_packages(const Catalog& catalog);

} // namespace opcat
