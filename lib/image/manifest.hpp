// The documents of an image: manifests, indexes and configurations of the OCI image specification and of
// Docker's schema 2, which differ only in the names of their media types.
#pragma once

#include "opcat/image/options.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace opcat::image {

using Labels = std::map<std::string, std::string>;

// The labels by which an image says what it is: the directory of a catalog, an index database, the package of
// a bundle.
inline constexpr const char* configs_label = "operators.operatorframework.io.index.configs.v1";
inline constexpr const char* database_label = "operators.operatorframework.io.index.database.v1";
inline constexpr const char* bundle_label = "operators.operatorframework.io.bundle.package.v1";

using Annotations = std::map<std::string, std::string>;

// The largest manifest and configuration that is read; registries do not allow larger ones.
inline constexpr uint64_t max_document_size = uint64_t{4} << 20;

namespace media_type {
inline constexpr std::string_view manifest = "application/vnd.oci.image.manifest.v1+json";
inline constexpr std::string_view index = "application/vnd.oci.image.index.v1+json";
inline constexpr std::string_view docker_index = "application/vnd.docker.distribution.manifest.list.v2+json";
inline constexpr std::string_view config = "application/vnd.oci.image.config.v1+json";
inline constexpr std::string_view layer = "application/vnd.oci.image.layer.v1.tar"; // and "+gzip", "+zstd"
} // namespace media_type

// The annotation of an index that contains the name of an image.
inline constexpr const char* name_annotation = "org.opencontainers.image.ref.name";

// A reference to content by its digest.
struct Descriptor {
    std::string digest; // "sha256:" and 64 lower-case hex digits
    uint64_t size = 0;
    std::string media_type = {}; // as the document says that names it
};

struct Manifest {
    Descriptor config;
    std::vector<Descriptor> layers; // the lowest first
    std::string media_type{media_type::manifest};
    Annotations annotations = {};
};

struct IndexEntry {
    Descriptor manifest;
    std::optional<Platform> platform;
    Annotations annotations;
};

struct Index {
    std::vector<IndexEntry> entries;
    std::string media_type{media_type::index};
};

struct Config {
    std::optional<Platform> platform;
    Labels labels;
    std::vector<std::string> diff_ids = {}; // digests of the uncompressed layers
    bool has_command = false;               // an entry point or a command
};

// The media types to request from a registry, as the value of an Accept header.
std::string_view accepted_manifests();

// Throw Error with a reason that begins with the kind of document ("the manifest …").
std::variant<Manifest, Index> parse_manifest(std::string_view json);
// The documents, as JSON with sorted keys and without white space: equal content gives equal bytes.
std::string write_manifest(const Manifest& manifest, const Annotations& annotations = {});
std::string write_index(const Index& index, const Annotations& annotations = {});

const std::string& media_type_of(const std::variant<Manifest, Index>& document);
Config parse_config(std::string_view json);

// Returns true if a digest uses the algorithm that we can check.
bool is_sha256(std::string_view digest);

// The image of an index for the wanted platform. If it is the first because none matches, `warning` is a
// sentence about it. Throws Error if there is none to choose.
const IndexEntry& choose(const Index& index, const PlatformChoice& choice, std::string& warning);

// An index may name an index; nobody nests them deeper.
inline constexpr int max_nested_indexes = 4;
inline constexpr const char* nested_too_deep = "the image index is nested too deep";

// Follows indexes to one image. `bytes`, of a manifest or an index, become those of the image's manifest.
// Throws Error.
using GetManifest = std::function<std::string(const Descriptor&)>;
Manifest choose_image(std::string& bytes, const PlatformChoice& choice, const GetManifest& get_manifest,
                      std::string& warning);

// Throws Error if the image is for another platform.
void check_platform(const Config& config, const Platform& wanted);

// An image without the bytes of its layers.
struct Contents {
    std::string digest; // of its manifest; empty if it has none
    Config config;
    std::vector<Descriptor> layers;          // the lowest first; without digests if there are none
    Annotations annotations = {};            // of its manifest
    std::vector<std::string> documents = {}; // in a registry: digests of the documents that were read
    std::string warning;                     // about the choice; usually empty
};

// A complete document that an index or a manifest refers to, checked. Throws Error.
enum class Document { manifest, config };
using GetDocument = std::function<std::string(Document, const Descriptor&)>;

// Follows a manifest or index to one image for a platform. `check`, if given, is called with the image's
// manifest before anything that it names is read. Throws Error.
Contents read_contents(std::string manifest, const PlatformChoice& platform, const GetDocument& get_document,
                       const std::function<void(const std::string&)>& check = {});

// An opened image. `layer` may be called from several threads.
class Source {
public:
    virtual ~Source() = default;

    const Contents& contents() const { return contents_; }

    // A file with the layer as it is stored, its digest and size checked. `on_bytes` is called with the
    // number of bytes fetched so far; not for a layer from the cache. Throws Error with a reason that does
    // not name image and layer.
    virtual std::filesystem::path layer(size_t index, const std::function<void(uint64_t)>& on_bytes) = 0;

protected:
    Contents contents_;
};

} // namespace opcat::image
