#include "opcat/image/local.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/regular_file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/tar_writer.hpp"
#include "opcat/image/unpack.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace opcat::image {

ArchiveDirectory::ArchiveDirectory(const std::filesystem::path& file, const Options& options)
    : directory_(options.temporary) {
    std::error_code absent;
    if (!std::filesystem::exists(file, absent)) throw Error("there is no such file");
    if (!std::filesystem::is_regular_file(file, absent)) throw Error("it is not a file");
    unpack({{file, "the archive"}}, {""}, options.max_unpacked_size, directory_.path());
}

namespace fs = std::filesystem;
namespace {

constexpr const char* containerd_name = "io.containerd.image.name";

std::string annotation(const IndexEntry& entry, const char* name) {
    const auto at = entry.annotations.find(name);
    return at == entry.annotations.end() ? std::string() : at->second;
}

// For messages; of very many only the first ones.
std::string describe_tags(const std::vector<std::string>& tags) {
    constexpr size_t enough = 300;
    std::string text;
    for (const std::string& tag : tags)
        if (text.size() < enough) text += (text.empty() ? "" : ", ") + printable(tag);
    if (text.empty()) return "none of its images has a tag";
    return (tags.size() == 1 ? "its tag is " : "its tags are ") + text;
}

std::vector<std::string> tags_of(const Index& index) {
    std::vector<std::string> tags;
    for (const IndexEntry& entry : index.entries)
        if (std::string tag = annotation(entry, name_annotation); !tag.empty())
            tags.push_back(std::move(tag));
    return tags;
}

const IndexEntry& find_tagged(const Index& index, const std::string& tag) {
    if (index.entries.empty()) throw Error("the layout holds no image");
    if (tag.empty()) {
        const auto has_no_tag = [](const IndexEntry& entry) {
            return annotation(entry, name_annotation).empty() && annotation(entry, containerd_name).empty();
        };
        const auto untagged = std::find_if(index.entries.begin(), index.entries.end(), has_no_tag);
        if (std::count_if(untagged, index.entries.end(), has_no_tag) == 1) return *untagged;
        if (index.entries.size() > 1)
            throw Error(fmt::format("the layout holds {} images; {}", index.entries.size(),
                                    describe_tags(tags_of(index))),
                        "add the tag of one after a colon");
        return index.entries.front();
    }
    for (const IndexEntry& entry : index.entries)
        if (annotation(entry, name_annotation) == tag || annotation(entry, containerd_name) == tag)
            return entry;
    throw Error(
        fmt::format("the layout holds no image \"{}\"; {}", printable(tag), describe_tags(tags_of(index))));
}

// A layout, and the image in it that is asked for.
class Layout {
public:
    Layout(fs::path directory, std::string tag, std::unique_ptr<ArchiveDirectory> owner = nullptr)
        : owner_(std::move(owner)), directory_(std::move(directory)), tag_(std::move(tag)) {}
    Layout(fs::path directory, Descriptor manifest)
        : directory_(std::move(directory)), manifest_(std::move(manifest)) {}

    // The manifest or index of the image.
    std::string image() const {
        if (manifest_) return document(*manifest_);
        std::error_code absent;
        if (!fs::exists(directory_, absent)) throw Error("there is no such directory");
        if (!fs::exists(directory_ / "index.json", absent))
            throw Error("it is not an OCI layout: there is no index.json");
        const auto text = read_file(directory_ / "index.json", "index.json", max_document_size);
        const auto parsed = [&] {
            try {
                return parse_manifest(text->bytes());
            } catch (const Error& error) {
                throw error.with_message(fmt::format("cannot read its index.json: {}", error.what()));
            }
        }();
        const auto* index = std::get_if<Index>(&parsed);
        if (!index) throw Error("it is not an OCI layout: its index.json is not an image index");
        return document(find_tagged(*index, tag_).manifest);
    }

    // Returns the digest of an image that was asked for by its descriptor.
    std::optional<std::string> named_digest() const {
        return manifest_ ? std::optional(manifest_->digest) : std::nullopt;
    }

    std::string document(const Descriptor& wanted) const {
        if (wanted.size > max_document_size)
            throw Error(fmt::format("{} has {} bytes, more than the limit of {}", wanted.digest, wanted.size,
                                    max_document_size));
        std::string bytes(read_file(file_of(wanted), wanted.digest, max_document_size)->bytes());
        check_digest(wanted, "sha256:" + sha256_hex(bytes));
        return bytes;
    }

    fs::path blob(const Descriptor& wanted) const {
        fs::path file = file_of(wanted);
        check_digest(wanted, file_digest(file));
        return file;
    }

    fs::path place_of(const Descriptor& wanted) const {
        return directory_ / "blobs" / "sha256" / wanted.digest.substr(wanted.digest.find(':') + 1);
    }

    // Its digest has not been checked.
    fs::path file_of(const Descriptor& wanted) const {
        fs::path file = place_of(wanted);
        std::error_code absent;
        if (!fs::is_regular_file(file, absent))
            throw Error(fmt::format("the blob {} is missing", wanted.digest)).as_absent();
        if (const auto size = fs::file_size(file); size != wanted.size)
            throw DamagedContent(fmt::format("the blob {} has {} bytes, but the manifest says {}",
                                             wanted.digest, size, wanted.size));
        return file;
    }

private:
    static void check_digest(const Descriptor& wanted, const std::string& digest) {
        if (digest != wanted.digest)
            throw DamagedContent(fmt::format("the blob {} has the digest {}", wanted.digest, digest));
    }

    std::unique_ptr<ArchiveDirectory> owner_; // of the directory, if it is an archive's
    fs::path directory_;
    std::string tag_;
    std::optional<Descriptor> manifest_; // in place of the tag
};

Layout layout_in_archive(const fs::path& file, const std::string& tag, const Options& options) {
    auto archive = std::make_unique<ArchiveDirectory>(file, options);
    fs::path root = archive->root();
    return {std::move(root), tag, std::move(archive)};
}

class InLayout : public Source {
public:
    InLayout(Layout layout, const PlatformChoice& platform) : layout_(std::move(layout)) {
        contents_ = read_contents(layout_.image(), platform, [&](Document, const Descriptor& wanted) {
            return layout_.document(wanted);
        });
    }

    fs::path layer(size_t index, const std::function<void(uint64_t)>& on_bytes) override {
        fs::path file = layout_.blob(contents_.layers.at(index));
        if (on_bytes) on_bytes(contents_.layers.at(index).size);
        return file;
    }

private:
    Layout layout_;
};

class LayoutReader : public ImageReader {
public:
    explicit LayoutReader(Layout layout) : layout_(std::move(layout)) {}

    std::optional<std::string> digest() const override { return layout_.named_digest(); }
    std::string manifest() override { return layout_.image(); }
    std::string manifest(const Descriptor& wanted) override { return layout_.document(wanted); }
    void blob(const Descriptor& wanted, BlobSink& to) override {
        copy_from_file(layout_.file_of(wanted), to);
    }
    bool has_blob(const Descriptor& wanted) override {
        std::error_code absent;
        return fs::file_size(layout_.place_of(wanted), absent) == wanted.size;
    }
    // A damaged file may have the right size.
    void require_blob(const Descriptor& wanted) override {
        CheckingSink sink(wanted);
        blob(wanted, sink);
    }

private:
    Layout layout_;
};

} // namespace

std::unique_ptr<Source> open_oci_layout(const fs::path& directory, const std::string& tag,
                                        const PlatformChoice& platform) {
    return std::make_unique<InLayout>(Layout(directory, tag), platform);
}

std::unique_ptr<Source> open_oci_archive(const fs::path& file, const std::string& tag,
                                         const Options& options) {
    return std::make_unique<InLayout>(layout_in_archive(file, tag, options), options.platform);
}

std::unique_ptr<ImageReader> read_oci_layout(const fs::path& directory, const std::string& tag) {
    return std::make_unique<LayoutReader>(Layout(directory, tag));
}

std::unique_ptr<ImageReader> read_oci_layout(const fs::path& directory, const Descriptor& manifest) {
    return std::make_unique<LayoutReader>(Layout(directory, manifest));
}

std::unique_ptr<ImageReader> read_oci_archive(const fs::path& file, const std::string& tag,
                                              const Options& options) {
    return std::make_unique<LayoutReader>(layout_in_archive(file, tag, options));
}

namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

std::vector<std::string> strings(const Json& object, const char* name) {
    std::vector<std::string> found;
    if (!object.is_object() || !object.contains(name) || !object[name].is_array()) return found;
    for (const Json& item : object[name])
        if (item.is_string()) found.push_back(item.get<std::string>());
    return found;
}

bool is_tagged(const Json& image, const std::string& tag) {
    const auto wanted = PullSpec::parse(tag);
    for (const std::string& text : strings(image, "RepoTags")) {
        const auto spec = PullSpec::parse(text);
        if (spec && (spec->tag() == tag || (wanted && wanted->to_string() == spec->to_string()))) return true;
    }
    return false;
}

std::vector<std::string> tags_of(const Json& images) {
    std::vector<std::string> tags;
    for (const Json& image : images)
        for (std::string& tag : strings(image, "RepoTags")) tags.push_back(std::move(tag));
    return tags;
}

const Json& find_image(const Json& images, const std::string& tag) {
    if (!images.is_array() || images.empty()) throw Error("its manifest.json lists no image");
    if (tag.empty()) {
        if (images.size() > 1)
            throw Error(fmt::format("it holds {} images; {}", images.size(), describe_tags(tags_of(images))),
                        "add the tag of one after a colon");
        return images[0];
    }
    for (const Json& image : images)
        if (is_tagged(image, tag)) return image;
    throw Error(fmt::format("it holds no image \"{}\"; {}", printable(tag), describe_tags(tags_of(images))));
}

// Reads one image of an archive.
class DockerArchive {
public:
    DockerArchive(const fs::path& file, const std::string& tag, const Options& options)
        : archive_(file, options), max_size_(options.max_unpacked_size) {
        std::error_code absent;
        if (!fs::exists(archive_.root() / "manifest.json", absent))
            throw Error("it is not an archive of docker save: there is no manifest.json");
        const Json images = parse_json<Json>(read("manifest.json"));
        const Json& image = find_image(images, tag);
        if (!image.is_object() || !image.contains("Config") || !image["Config"].is_string())
            throw Error("its manifest.json names no configuration");
        config_ = inside(image["Config"].get<std::string>());
        for (const std::string& layer : strings(image, "Layers")) layers_.push_back(inside(layer));
        diff_ids_ = parse_config(config()).diff_ids;
        if (diff_ids_.size() != layers_.size())
            throw Error(fmt::format("its manifest.json has {}, and the configuration of the image {}",
                                    counted(layers_.size(), "layer"), diff_ids_.size()));
    }

    // The archive has no other checksum of a layer than the one in the configuration. Throws Error.
    void check_layer(size_t index) const {
        Sha256 hash;
        unpack_stream(layers_.at(index), max_size_, [&](std::string_view bytes) { hash.update(bytes); });
        const std::string digest = "sha256:" + hash.finish_hex();
        if (digest != diff_ids_[index])
            throw Error(fmt::format("it has the digest {}, and the configuration says {}", digest,
                                    printable(diff_ids_[index])),
                        "make the archive again: it is damaged, or was changed");
    }

    std::string config() const {
        return std::string(read_file(config_, "its configuration", max_document_size)->bytes());
    }
    const fs::path& config_file() const { return config_; }
    const std::vector<fs::path>& layers() const { return layers_; }

private:
    // The archive names the places of its parts; none may be outside.
    fs::path inside(const std::string& name) const {
        fs::path path = archive_.root() / path_in_image(name);
        std::error_code absent;
        if (!fs::is_regular_file(path, absent))
            throw Error(fmt::format("its manifest.json names \"{}\", which is not there", printable(name)));
        return path;
    }

    std::string read(const std::string& name) const {
        return std::string(read_file(inside(name), printable(name), max_document_size)->bytes());
    }

    ArchiveDirectory archive_;
    uint64_t max_size_;
    fs::path config_;
    std::vector<fs::path> layers_;
    std::vector<std::string> diff_ids_;
};

class InDockerArchive : public Source {
public:
    InDockerArchive(const fs::path& file, const std::string& tag, const Options& options)
        : archive_(file, tag, options) {
        contents_.config = parse_config(archive_.config());
        for (const fs::path& layer : archive_.layers())
            contents_.layers.push_back({"", fs::file_size(layer)});
    }

    fs::path layer(size_t index, const std::function<void(uint64_t)>& on_bytes) override {
        archive_.check_layer(index);
        if (on_bytes) on_bytes(contents_.layers.at(index).size);
        return archive_.layers().at(index);
    }

private:
    DockerArchive archive_;
};

// An archive has no manifest: the OCI's is made for what is in it.
class DockerArchiveReader : public ImageReader {
public:
    DockerArchiveReader(const fs::path& file, const std::string& tag, const Options& options)
        : archive_(file, tag, options) {
        const Descriptor config = describe(archive_.config_file(), std::string(media_type::config));
        std::vector<Descriptor> layers;
        for (size_t i = 0; i < archive_.layers().size(); ++i) {
            try {
                archive_.check_layer(i);
            } catch (const Error& error) {
                throw error.with_message(
                    fmt::format("layer {} of {}: {}", i + 1, archive_.layers().size(), error.what()));
            }
            const fs::path& layer = archive_.layers()[i];
            layers.push_back(describe(layer, type_of_layer(layer)));
        }
        manifest_ = write_manifest({config, layers});
    }

    std::string manifest() override { return manifest_; }
    std::string manifest(const Descriptor& wanted) override {
        throw Error(fmt::format("there is no manifest {}", wanted.digest));
    }
    void blob(const Descriptor& wanted, BlobSink& to) override {
        copy_from_file(files_.at(wanted.digest), to);
    }
    bool has_blob(const Descriptor& wanted) override { return files_.contains(wanted.digest); }

private:
    Descriptor describe(const fs::path& file, std::string media_type) {
        Descriptor blob{file_digest(file), fs::file_size(file), std::move(media_type)};
        files_[blob.digest] = file;
        return blob;
    }

    static std::string type_of_layer(const fs::path& file) {
        std::array<char, 4> magic{};
        const std::string_view begin = RegularFile(file).next(magic);
        std::string type(media_type::layer);
        if (begin.starts_with("\x1f\x8b")) return type + "+gzip";
        return begin == "\x28\xb5\x2f\xfd" ? type + "+zstd" : type;
    }

    DockerArchive archive_;
    std::map<std::string, fs::path> files_; // by digest
    std::string manifest_;
};

} // namespace

std::unique_ptr<Source> open_docker_archive(const fs::path& file, const std::string& tag,
                                            const Options& options) {
    return std::make_unique<InDockerArchive>(file, tag, options);
}

std::unique_ptr<ImageReader> read_docker_archive(const fs::path& file, const std::string& tag,
                                                 const Options& options) {
    return std::make_unique<DockerArchiveReader>(file, tag, options);
}

} // namespace opcat::image
