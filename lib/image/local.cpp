#include "opcat/image/local.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/unpack.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace opcat::image {

ArchiveDirectory::ArchiveDirectory(const std::filesystem::path& file, const Options& options)
    : directory_(options.temporary) {
    std::error_code absent;
    if (!std::filesystem::exists(file, absent)) throw Error("there is no such file");
    if (!std::filesystem::is_regular_file(file, absent)) throw Error("it is no file");
    unpack({{file, "the archive"}}, {""}, options.max_unpacked_size, directory_.path());
}

namespace fs = std::filesystem;
namespace {

constexpr const char* ref_name = "org.opencontainers.image.ref.name";
constexpr const char* containerd_name = "io.containerd.image.name";

std::string annotation(const IndexEntry& entry, const char* name) {
    const auto at = entry.annotations.find(name);
    return at == entry.annotations.end() ? std::string() : at->second;
}

std::string list_tags(const Index& index) {
    std::string text;
    for (const IndexEntry& entry : index.entries)
        if (const std::string tag = annotation(entry, ref_name); !tag.empty() && text.size() < 300)
            text += (text.empty() ? "" : ", ") + printable(tag);
    return text.empty() ? "none of its images has a tag" : "there is " + text;
}

const IndexEntry& find_tagged(const Index& index, const std::string& tag) {
    if (index.entries.empty()) throw Error("the layout holds no image");
    if (tag.empty()) {
        if (index.entries.size() > 1)
            throw Error(fmt::format("the layout holds {} images; {}", index.entries.size(), list_tags(index)),
                        "add the tag of one after a colon");
        return index.entries.front();
    }
    for (const IndexEntry& entry : index.entries)
        if (annotation(entry, ref_name) == tag || annotation(entry, containerd_name) == tag) return entry;
    throw Error(fmt::format("the layout holds no image \"{}\"; {}", printable(tag), list_tags(index)));
}

class InLayout : public Source {
public:
    InLayout(fs::path directory, const std::string& tag, const PlatformChoice& platform,
             std::unique_ptr<ArchiveDirectory> owner)
        : owner_(std::move(owner)), directory_(std::move(directory)) {
        std::error_code absent;
        if (!fs::exists(directory_ / "index.json", absent))
            throw Error("it is no OCI layout: there is no index.json");
        const auto parsed = parse_manifest(read("index.json"));
        const auto* index = std::get_if<Index>(&parsed);
        if (!index) throw Error("it is no OCI layout: its index.json is no image index");
        const auto document = [&](Document, const Descriptor& wanted) { return read_document(wanted); };
        contents_ = read_contents(read_document(find_tagged(*index, tag).manifest), platform, document);
    }

    fs::path layer(size_t index, const std::function<void(uint64_t)>& on_bytes) override {
        fs::path file = blob(contents_.layers.at(index));
        if (on_bytes) on_bytes(contents_.layers.at(index).size);
        return file;
    }

private:
    std::string read(const std::string& name) const {
        return std::string(read_file(directory_ / name, name, max_document_size)->bytes());
    }

    std::string read_document(const Descriptor& wanted) const {
        if (wanted.size > max_document_size)
            throw Error(fmt::format("{} has {} bytes, more than the limit of {}", wanted.digest, wanted.size,
                                    max_document_size));
        return std::string(read_file(blob(wanted), wanted.digest, max_document_size)->bytes());
    }

    fs::path blob(const Descriptor& wanted) const {
        fs::path file = directory_ / "blobs" / "sha256" / wanted.digest.substr(wanted.digest.find(':') + 1);
        std::error_code absent;
        if (!fs::is_regular_file(file, absent))
            throw Error(fmt::format("the blob {} is missing", wanted.digest));
        if (const auto size = fs::file_size(file); size != wanted.size)
            throw Error(fmt::format("the blob {} has {} bytes, but the manifest says {}", wanted.digest, size,
                                    wanted.size));
        if (const std::string digest = file_digest(file); digest != wanted.digest)
            throw Error(fmt::format("the blob {} has the digest {}", wanted.digest, digest));
        return file;
    }

    std::unique_ptr<ArchiveDirectory> owner_; // of the directory, if it is an archive's
    fs::path directory_;
};

} // namespace

std::unique_ptr<Source> open_oci_layout(const fs::path& directory, const std::string& tag,
                                        const PlatformChoice& platform) {
    return std::make_unique<InLayout>(directory, tag, platform, nullptr);
}

std::unique_ptr<Source> open_oci_archive(const fs::path& file, const std::string& tag,
                                         const Options& options) {
    auto archive = std::make_unique<ArchiveDirectory>(file, options);
    fs::path root = archive->root();
    return std::make_unique<InLayout>(std::move(root), tag, options.platform, std::move(archive));
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

std::string list_tags(const Json& images) {
    std::string text;
    for (const Json& image : images)
        for (const std::string& tag : strings(image, "RepoTags"))
            if (text.size() < 300) text += (text.empty() ? "" : ", ") + printable(tag);
    return text.empty() ? "none of its images has a tag" : "there is " + text;
}

const Json& find_image(const Json& images, const std::string& tag) {
    if (!images.is_array() || images.empty()) throw Error("its manifest.json lists no image");
    if (tag.empty()) {
        if (images.size() > 1)
            throw Error(fmt::format("it holds {} images; {}", images.size(), list_tags(images)),
                        "add the tag of one after a colon");
        return images[0];
    }
    for (const Json& image : images)
        if (is_tagged(image, tag)) return image;
    throw Error(fmt::format("it holds no image \"{}\"; {}", printable(tag), list_tags(images)));
}

class InDockerArchive : public Source {
public:
    InDockerArchive(const fs::path& file, const std::string& tag, const Options& options)
        : archive_(file, options) {
        std::error_code absent;
        if (!fs::exists(archive_.root() / "manifest.json", absent))
            throw Error("it is no archive of docker save: there is no manifest.json");
        const Json images = Json::parse(read("manifest.json"), nullptr, false);
        const Json& image = find_image(images, tag);
        if (!image.is_object() || !image.contains("Config") || !image["Config"].is_string())
            throw Error("its manifest.json names no configuration");
        contents_.config = parse_config(read(image["Config"].get<std::string>()));
        for (const std::string& layer : strings(image, "Layers")) {
            const fs::path path = inside(layer);
            layers_.push_back(path);
            contents_.layers.push_back({"", fs::file_size(path)});
        }
    }

    fs::path layer(size_t index, const std::function<void(uint64_t)>& on_bytes) override {
        if (on_bytes) on_bytes(contents_.layers.at(index).size);
        return layers_.at(index);
    }

private:
    // The archive says where its parts are; none is outside.
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
    std::vector<fs::path> layers_;
};

} // namespace

std::unique_ptr<Source> open_docker_archive(const fs::path& file, const std::string& tag,
                                            const Options& options) {
    return std::make_unique<InDockerArchive>(file, tag, options);
}

} // namespace opcat::image
