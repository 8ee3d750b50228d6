// A file-based catalog: its packages, channels, bundles and deprecations, and blobs of other schemas
// (docs/spec/catalog-format.md), as they were written: lint/lint.hpp checks them.
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

// A string field, and the offset of its value in the blob's file. A missing field is empty and has the offset
// of the blob.
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

// The fields that every blob has.
struct Blob {
    const SourceFile* file = nullptr; // nullptr: made by the program
    Value value;                      // the whole blob as it was read
    Text name;
    Text package;
    Location origin = {}; // without a file: what the program made it from, such as an item of a template
    // The template in the origin's file from which the program composed it: offsets of its texts are places
    // in that, or 0.
    const Value* composed_from = nullptr;

    // The text's own place if it is written without quotes and escapes; otherwise the point where its value
    // begins. Of a blob without a file all that has no place is at its origin.
    Location at(const Text& text) const;
    Location at(uint32_t offset) const {
        if (file) return {file, offset, 1};
        return composed_from && offset != 0 ? Location{origin.file, offset, 0} : origin;
    }
    Location start() const { return at(value.offset()); }
};

struct Property {
    Text type;
    const Value* value = nullptr; // nullptr: there is none
    uint32_t offset = 0;
    std::string_view json; // JSON text of the value, if it is to be written unchanged; otherwise empty
};

struct Icon {
    std::optional<std::string_view> base64; // canonical base64; nothing: absent
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
    bool has_entries = false; // the field is present, and not null
    std::span<const ChannelEntry> entries;
    std::span<const Property> properties;
};

struct RelatedImage {
    Text name;
    Text image;
};

struct Bundle : Blob {
    // opm sorts the blobs that it renders and migrates them if asked to, but not the bundles in a substitutes
    // template.
    bool keep_unmodified = false;
    // Only its name and its package are known, from a channel: the template that it belongs to was not
    // rendered.
    bool is_unknown = false;
    Text image;
    std::span<const Property> properties;
    std::span<const RelatedImage> related_images;
    // For a bundle directory or image: the documents of manifest files after the first one. They are not part
    // of the format, and only OLM v1 reads them.
    std::span<const Value> further_manifests = {};
};

struct DeprecatedReference {
    Text schema; // of what is deprecated
    Text name;
};

struct DeprecationEntry : DeprecatedReference {
    Text message;
    uint32_t offset = 0;
};

struct Deprecations : Blob {
    bool has_entries = false;
    std::span<const DeprecationEntry> entries;
};

// A blob whose schema has no meaning to opcat.
struct OtherBlob : Blob {
    Text schema;
};

// Files and memory that blobs refer to. A copy of blobs must keep their catalog's storage.
struct CatalogStorage {
    std::vector<std::unique_ptr<SourceFile>> files;
    std::vector<Arena> arenas;
};

// In the order of the directory walk, and within a file in its order.
struct Catalog {
    std::vector<Package> packages;
    std::vector<Channel> channels;
    std::vector<Bundle> bundles;
    std::vector<Deprecations> deprecations;
    std::vector<OtherBlob> others;
    std::vector<std::shared_ptr<const CatalogStorage>> storage;
};

// Returns true if it has no blob at all.
bool is_empty(const Catalog& catalog);

// Appends the blobs of `from` to those of `into`.
void append(Catalog& into, Catalog&& from);

// All blobs that name one package, valid or not: the olm.package blob may be missing, or there may be
// several.
struct PackageIndex {
    std::string_view name;
    std::vector<const Package*> packages;
    std::vector<const Channel*> channels;
    std::vector<const Bundle*> bundles;
    std::vector<const Deprecations*> deprecations;
    std::unordered_map<std::string_view, const Bundle*> bundle_by_name;   // the first of each name
    std::unordered_map<std::string_view, const Channel*> channel_by_name; // the first of each name

    void add(const Package& blob) { packages.push_back(&blob); }
    void add(const Channel& blob);
    void add(const Bundle& blob);
    void add(const Deprecations& blob) { deprecations.push_back(&blob); }
    bool is_empty() const {
        return packages.empty() && channels.empty() && bundles.empty() && deprecations.empty();
    }
};

// Adds all blobs of a catalog to the packages that `package_of` returns for their names; nullptr: to none.
template <class PackageOf>
void add_to_index(const Catalog& catalog, PackageOf package_of) {
    const auto add = [&](const auto& blobs, auto name) {
        for (const auto& blob : blobs)
            if (PackageIndex* const package = package_of(std::string_view((blob.*name).text)))
                package->add(blob);
    };
    add(catalog.packages, &Package::name);
    add(catalog.channels, &Channel::package);
    add(catalog.bundles, &Bundle::package);
    add(catalog.deprecations, &Deprecations::package);
}

// In the order of the first mention of a package. Pointers into `catalog`. Linear.
std::vector<PackageIndex> index_packages(const Catalog& catalog);

// Returns the names of the channels or bundles of a package.
template <typename Blob>
std::vector<std::string_view> blob_names(const std::vector<const Blob*>& blobs) {
    std::vector<std::string_view> names;
    names.reserve(blobs.size());
    for (const Blob* blob : blobs) names.push_back(blob->name);
    return names;
}

} // namespace opcat
