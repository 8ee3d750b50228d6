#include "opcat/image/layout_writer.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/once.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/image/blob_store.hpp"
#include "opcat/image/tar_reader.hpp"
#include "opcat/image/tar_writer.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <set>
#include <utility>

namespace opcat::image {

namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr std::string_view layout_file = R"({"imageLayoutVersion":"1.0.0"})";

fs::path blob_file(const fs::path& directory, std::string_view digest) {
    return directory / "blobs" / "sha256" / digest.substr(digest.find(':') + 1);
}

bool has_file(const fs::path& directory, const Descriptor& blob) {
    std::error_code absent;
    return fs::file_size(blob_file(directory, blob.digest), absent) == blob.size && !absent;
}

bool has_parts(const fs::path& directory, const Manifest& manifest) {
    return has_file(directory, manifest.config) &&
           std::ranges::all_of(manifest.layers,
                               [&](const Descriptor& layer) { return has_file(directory, layer); });
}

// Returns true if everything that a manifest of the layout names has its size: a registry sees to that, and
// here files may have been lost. Of an index, images that were not copied may be missing as a whole.
bool is_whole(const fs::path& directory, const Descriptor& wanted) {
    const auto read = [&](const Descriptor& one) {
        return parse_manifest(
            read_file(blob_file(directory, one.digest), one.digest, max_document_size)->bytes());
    };
    try {
        const auto document = read(wanted);
        if (const auto* const manifest = std::get_if<Manifest>(&document))
            return has_parts(directory, *manifest);
        return std::ranges::all_of(std::get<Index>(document).entries, [&](const IndexEntry& entry) {
            if (!has_file(directory, entry.manifest)) return true;
            const auto image = read(entry.manifest);
            const auto* const manifest = std::get_if<Manifest>(&image);
            return !manifest || has_parts(directory, *manifest);
        });
    } catch (const Error&) { // then it is written again
        return false;
    }
}

// Held by the thread, of whatever process, that makes a layout or changes its index.
class LayoutLock {
public:
    explicit LayoutLock(const fs::path& directory)
        : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        if (descriptor_ < 0)
            throw Error(fmt::format("cannot open {}: {}", directory.string(), system_message(errno)));
        while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~LayoutLock() { ::close(descriptor_); }
    LayoutLock(const LayoutLock&) = delete;
    LayoutLock& operator=(const LayoutLock&) = delete;

private:
    int descriptor_;
};

// Writing and removing must not lead out of the directory: it may come from anybody.
void require_no_links(const fs::path& directory) {
    for (const char* const part : {"oci-layout", "index.json", "blobs", "blobs/sha256"})
        if (std::error_code absent; fs::is_symlink(directory / part, absent))
            throw Error(
                fmt::format("{} is a link, and would lead out of the layout", (directory / part).string()),
                "put what it names in its place, or name another directory");
}

constexpr const char* unfinished_mark = "opcat-unfinished";

// Makes a layout of a directory that is new, empty or a layout already.
void prepare_layout(const fs::path& directory) {
    make_directories(directory);
    require_no_links(directory);
    const LayoutLock lock(directory); // or another writer may find it neither empty nor a layout
    std::error_code failed;
    if (!fs::exists(directory / "oci-layout", failed)) {
        if (!fs::is_empty(directory, failed))
            throw Error(fmt::format("{} is neither empty nor an OCI layout", directory.string()),
                        "name another directory");
        write_file(directory / "oci-layout", layout_file);
    }
    make_directories(directory / "blobs" / "sha256");
}

std::string name_of(const IndexEntry& entry) {
    const auto at = entry.annotations.find(name_annotation);
    return at == entry.annotations.end() ? std::string() : at->second;
}

std::string name_of(const Json& entry) {
    const auto annotations = entry.find("annotations");
    if (annotations == entry.end() || !annotations->is_object()) return {};
    const auto name = annotations->find(name_annotation);
    return name != annotations->end() && name->is_string() ? name->get<std::string>() : std::string();
}

// `change` gets the list of the images. What it does not touch stays as it was written.
void change_index(const fs::path& directory, const std::function<void(Json&)>& change) {
    const LayoutLock lock(directory);
    require_no_links(directory);
    const fs::path file = directory / "index.json";
    Json index{{"schemaVersion", 2}, {"mediaType", media_type::index}, {"manifests", Json::array()}};
    std::error_code absent;
    if (fs::exists(file, absent)) {
        const auto text = read_file(file, file.string(), max_document_size);
        if (!std::holds_alternative<Index>(parse_manifest(text->bytes())))
            throw Error(fmt::format("{} is not an image index", file.string()));
        index = parse_json<Json>(text->bytes());
    }
    change(index["manifests"]);
    write_file(file, as_line(index));
}

// The index's annotations for images of these names.
void put_entries(const fs::path& directory, const std::map<std::string, std::string>& entries) {
    prepare_layout(directory);
    change_index(directory, [&](Json& manifests) {
        for (const auto& named : entries) {
            const auto old = std::find_if(manifests.begin(), manifests.end(),
                                          [&](const Json& entry) { return name_of(entry) == named.first; });
            if (old != manifests.end())
                *old = parse_json<Json>(named.second);
            else
                manifests.push_back(parse_json<Json>(named.second));
        }
    });
}

} // namespace

LayoutBatch::LayoutBatch(fs::path directory)
    : directory_(std::move(directory)), before_(list_oci_layout(directory_)) {}

void LayoutBatch::add(std::string tag, std::string entry) {
    const std::lock_guard lock(mutex_);
    added_.insert_or_assign(std::move(tag), std::move(entry));
}

void LayoutBatch::begin() {
    prepare_layout(directory_);
    write_file(directory_ / unfinished_mark, "a run that fills this directory has not ended\n");
}

void LayoutBatch::finish() {
    std::error_code failed;
    fs::remove(directory_ / unfinished_mark, failed);
    if (failed)
        throw Error(fmt::format("cannot remove {}: {}", (directory_ / unfinished_mark).string(),
                                system_message(failed.value())));
}

bool is_unfinished_layout(const fs::path& directory) {
    std::error_code absent;
    return fs::exists(directory / unfinished_mark, absent);
}

void LayoutBatch::commit() {
    if (!added_.empty()) put_entries(directory_, added_);
    added_.clear();
}

class LayoutWriter : public ImageWriter {
public:
    LayoutWriter(fs::path directory, std::string tag, Annotations annotations, LayoutBatch* batch = nullptr)
        : directory_(std::move(directory)), tag_(std::move(tag)), annotations_(std::move(annotations)),
          batch_(batch) {
        if (!tag_.empty()) annotations_[name_annotation] = tag_;
    }

    // One that an archive is then made of.
    LayoutWriter(fs::path directory, std::string tag)
        : LayoutWriter(std::move(directory), std::move(tag), {}) {
        is_temporary_ = true;
    }

    std::optional<std::string> current_digest() override {
        for (const IndexEntry& entry : batch_ ? batch_->before_ : list_oci_layout(directory_))
            if (name_of(entry) == tag_ && entry.annotations == annotations_ &&
                has_file(directory_, entry.manifest) && is_whole(directory_, entry.manifest))
                return entry.manifest.digest;
        return std::nullopt;
    }

    bool has_blob(const Descriptor& blob, const std::vector<PullSpec>& /*from*/) override {
        return has_file(directory_, blob);
    }

    void put_blob(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                  const FillBlob& fill) override {
        prepared_.run([&] { prepare_layout(directory_); });
        const fs::path place = blob_file(directory_, blob.digest);
        PartialFile file(place, blob, on_bytes);
        fill(file);
        file.finish(permissions_for(place), !is_temporary_);
    }

    bool has_manifest(const Descriptor& wanted) override { return has_file(directory_, wanted); }

    void put_manifest(const std::string& bytes) override {
        const Descriptor blob{"sha256:" + sha256_hex(bytes), bytes.size()};
        // A damaged file has the right size, too.
        if (!has_file(directory_, blob) || file_digest(blob_file(directory_, blob.digest)) != blob.digest)
            put_blob(blob, {}, [&](BlobSink& sink) { sink.write(bytes); });
    }

    void put_image(const std::string& bytes) override {
        put_manifest(bytes);
        Json entry{{"mediaType", media_type_of(parse_manifest(bytes))},
                   {"digest", "sha256:" + sha256_hex(bytes)},
                   {"size", bytes.size()}};
        if (!annotations_.empty()) entry["annotations"] = annotations_;
        if (batch_)
            batch_->add(tag_, as_line(entry));
        else
            put_entries(directory_, {{tag_, as_line(entry)}});
    }

private:
    const fs::path directory_;
    const std::string tag_;
    Annotations annotations_;
    LayoutBatch* const batch_;  // may be null
    bool is_temporary_ = false; // it need not outlive a crash of the machine
    Once prepared_;
};

namespace {

// Digests of everything that a manifest or index refers to, itself included.
void collect(const fs::path& directory, const std::string& digest, std::set<std::string>& found) {
    if (!found.insert(digest).second) return;
    const fs::path file = blob_file(directory, digest);
    std::error_code absent;
    if (!fs::exists(file, absent)) return; // of an index of which some platforms were copied
    const auto document = parse_manifest(read_file(file, file.string(), max_document_size)->bytes());
    if (const auto* index = std::get_if<Index>(&document)) {
        for (const IndexEntry& entry : index->entries) collect(directory, entry.manifest.digest, found);
        return;
    }
    const auto& manifest = std::get<Manifest>(document);
    found.insert(manifest.config.digest);
    for (const Descriptor& layer : manifest.layers) found.insert(layer.digest);
}

} // namespace

std::unique_ptr<ImageWriter> write_to_oci_layout(const fs::path& directory, std::string tag,
                                                 Annotations annotations) {
    return std::make_unique<LayoutWriter>(directory, std::move(tag), std::move(annotations));
}

std::unique_ptr<ImageWriter> write_to_oci_layout(LayoutBatch& batch, std::string tag,
                                                 Annotations annotations) {
    return std::make_unique<LayoutWriter>(batch.directory(), std::move(tag), std::move(annotations), &batch);
}

std::vector<IndexEntry> list_oci_layout(const fs::path& directory) {
    const fs::path file = directory / "index.json";
    std::error_code absent;
    if (!fs::exists(file, absent)) return {};
    const auto text = read_file(file, file.string(), max_document_size);
    try {
        auto document = parse_manifest(text->bytes());
        auto* const index = std::get_if<Index>(&document);
        if (!index) throw Error("it is not an image index");
        return std::move(index->entries);
    } catch (const Error& error) {
        throw error.with_message(fmt::format("cannot read {}: {}", file.string(), error.what()));
    }
}

void annotate_in_oci_layout(const fs::path& directory, const char* annotation,
                            const std::map<std::string, std::string>& values) {
    change_index(directory, [&](Json& manifests) {
        for (Json& entry : manifests)
            if (const auto value = values.find(name_of(entry)); value != values.end())
                entry["annotations"][annotation] = value->second;
    });
}

namespace {

// The files of the layout that are named as blobs, and that no image needs.
std::vector<fs::path> superfluous_blobs(const fs::path& directory) {
    std::set<std::string> kept;
    for (const IndexEntry& entry : list_oci_layout(directory))
        collect(directory, entry.manifest.digest, kept);
    std::vector<fs::path> files;
    if (!fs::exists(directory / "blobs" / "sha256")) return files;
    for (const auto& entry : fs::directory_iterator(directory / "blobs" / "sha256")) {
        const std::string digest = "sha256:" + entry.path().filename().string();
        if (is_sha256(digest) && !kept.contains(digest) && fs::is_regular_file(entry.symlink_status()))
            files.push_back(entry.path());
    }
    return files;
}

} // namespace

RemovedFromLayout remove_from_oci_layout(const fs::path& directory, const std::vector<std::string>& tags) {
    const std::set<std::string> gone(tags.begin(), tags.end());
    RemovedFromLayout removed;
    change_index(directory, [&](Json& manifests) {
        manifests.erase(std::remove_if(manifests.begin(), manifests.end(),
                                       [&](const Json& entry) { return gone.contains(name_of(entry)); }),
                        manifests.end());
    });
    for (const fs::path& file : superfluous_blobs(directory)) {
        std::error_code failed;
        const uint64_t size = fs::file_size(file, failed);
        if (!fs::remove(file, failed))
            throw Error(fmt::format("cannot remove {}: {}", file.string(), system_message(failed.value())));
        ++removed.blobs;
        removed.bytes += size;
    }
    return removed;
}

namespace {

// Fills an archive, which is put in its place when `fill` returns.
void write_archive(const fs::path& place, const std::function<void(TarWriter&)>& fill) {
    std::error_code failed;
    const fs::path behind_links = fs::exists(place, failed) ? fs::canonical(place, failed) : place;
    const fs::path& target = failed ? place : behind_links;
    if (fs::exists(target, failed) && !fs::is_regular_file(target, failed))
        throw Error(fmt::format("cannot write {}: it is not a regular file", place.string()));
    const unsigned permissions = permissions_for(target);
    StagedFile file(target);
    TarWriter tar([&](std::string_view bytes) { file.write(bytes); }, 0);
    fill(tar);
    tar.finish();
    file.commit(permissions, true);
}

// Collects the blobs of an image in a layout of its own; the archive is written from that at the end.
class ArchiveWriter : public ImageWriter {
public:
    std::optional<std::string> current_digest() override { return std::nullopt; }
    bool has_manifest(const Descriptor& /*wanted*/) override { return false; }
    bool has_blob(const Descriptor& blob, const std::vector<PullSpec>& from) override {
        return layout_.has_blob(blob, from);
    }
    void put_blob(const Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                  const FillBlob& fill) override {
        layout_.put_blob(blob, on_bytes, fill);
    }

protected:
    // `mark`: a file that each archive of this kind has.
    ArchiveWriter(fs::path file, std::string tag, std::string_view mark, const Options& options)
        : file_(std::move(file)), directory_(options.temporary),
          layout_(directory_.path() / "layout", std::move(tag)) {
        require_archive_or_nothing(mark);
    }

    fs::path root() const { return directory_.path() / "layout"; }

private:
    // A mistyped name must not destroy another file.
    void require_archive_or_nothing(std::string_view mark) const {
        std::error_code absent;
        if (!fs::is_regular_file(file_, absent) || fs::file_size(file_, absent) == 0) return;
        try {
            UnpackBudget budget(uint64_t{1} << 40); // its files are passed over
            TarReader existing(file_, budget);
            for (TarEntry entry; existing.next(entry);)
                if (fs::path(entry.path).lexically_normal() == mark) return;
        } catch (const Error&) { // NOLINT(bugprone-empty-catch): it is no such archive
        }
        throw Error(fmt::format("the file exists and is not an archive of this kind: it has no {}", mark),
                    "remove it, or name another file");
    }

protected:
    const fs::path file_;
    const TemporaryDirectory directory_;
    LayoutWriter layout_;
};

// An archive is made of a layout, when that is complete: a tar archive says the size of a blob before its
// bytes, and cannot restart one.
class OciArchiveWriter : public ArchiveWriter {
public:
    OciArchiveWriter(fs::path file, std::string tag, const Options& options)
        : ArchiveWriter(std::move(file), std::move(tag), "oci-layout", options) {}

    void put_manifest(const std::string& bytes) override { layout_.put_manifest(bytes); }

    void put_image(const std::string& bytes) override {
        layout_.put_image(bytes);
        const fs::path layout = root();
        std::vector<fs::path> blobs;
        for (const auto& entry : fs::directory_iterator(layout / "blobs" / "sha256"))
            blobs.push_back(entry.path());
        std::sort(blobs.begin(), blobs.end());
        write_archive(file_, [&](TarWriter& tar) {
            tar.file("oci-layout", layout_file);
            tar.copy("index.json", layout / "index.json");
            tar.directory("blobs");
            tar.directory("blobs/sha256");
            for (const fs::path& blob : blobs) tar.copy("blobs/sha256/" + blob.filename().string(), blob);
        });
    }
};

class DockerArchiveWriter : public ArchiveWriter {
public:
    DockerArchiveWriter(fs::path file, std::string tag, const Options& options)
        : ArchiveWriter(std::move(file), "", "manifest.json", options), tag_(std::move(tag)),
          max_size_(options.max_unpacked_size) {}

    bool takes_indexes() const override { return false; }
    void put_manifest(const std::string& /*bytes*/) override {
        throw Error("an archive for docker load holds one image, not an index");
    }

    void put_image(const std::string& bytes) override {
        const auto document = parse_manifest(bytes);
        const auto* const manifest = std::get_if<Manifest>(&document);
        if (!manifest) throw Error("an archive for docker load holds one image, not an index");
        const fs::path config_file = blob_file(root(), manifest->config.digest);
        const auto config = read_file(config_file, "the image configuration", max_document_size);
        const std::vector<std::string> diff_ids = parse_config(config->bytes()).diff_ids;
        if (diff_ids.size() != manifest->layers.size())
            throw Error(fmt::format("the image has {} layers, and its configuration names {}",
                                    manifest->layers.size(), diff_ids.size()));
        std::vector<std::string> names;
        for (size_t i = 0; i < diff_ids.size(); ++i) {
            unpack_layer(blob_file(root(), manifest->layers[i].digest), diff_ids[i]);
            names.push_back(diff_ids[i].substr(diff_ids[i].find(':') + 1) + ".tar");
        }
        const std::string config_name = config_file.filename().string() + ".json";
        const Json list = Json::array({{{"Config", config_name},
                                        {"RepoTags", tag_.empty() ? Json(nullptr) : Json::array({tag_})},
                                        {"Layers", names}}});
        write_archive(file_, [&](TarWriter& tar) {
            for (const std::string& name : std::set<std::string>(names.begin(), names.end()))
                tar.copy(name, directory_.path() / name);
            tar.file(config_name, config->bytes());
            tar.file("manifest.json", as_line(list));
        });
    }

private:
    void unpack_layer(const fs::path& layer, const std::string& diff_id) const {
        const fs::path place = directory_.path() / (diff_id.substr(diff_id.find(':') + 1) + ".tar");
        StagedFile file(place);
        Sha256 hash;
        unpack_stream(layer, max_size_, [&](std::string_view bytes) {
            hash.update(bytes);
            file.write(bytes);
        });
        if ("sha256:" + hash.finish_hex() != diff_id)
            throw Error(fmt::format("a layer is not what the configuration says: {}", diff_id));
        file.commit(0600, false);
    }

    const std::string tag_;
    const uint64_t max_size_;
};

} // namespace

std::unique_ptr<ImageWriter> write_to_oci_archive(const fs::path& file, std::string tag,
                                                  const Options& options) {
    return std::make_unique<OciArchiveWriter>(file, std::move(tag), options);
}

std::unique_ptr<ImageWriter> write_to_docker_archive(const fs::path& file, std::string tag,
                                                     const Options& options) {
    return std::make_unique<DockerArchiveWriter>(file, std::move(tag), options);
}

} // namespace opcat::image
