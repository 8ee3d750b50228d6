#include "image/archive_directory.hpp"
#include "image/file_digest.hpp"
#include "image/local.hpp"
#include "image/printable.hpp"
#include "support/error.hpp"
#include "support/file.hpp"

#include <fmt/core.h>

namespace opcat::image {
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

} // namespace opcat::image
