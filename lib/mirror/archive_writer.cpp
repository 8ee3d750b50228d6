#include "opcat/mirror/archive_writer.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/regular_file.hpp"
#include "opcat/image/blob_store.hpp"
#include "opcat/mirror/image_list.hpp"
#include "opcat/mirror/unfinished_archive.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;
namespace {

constexpr uint64_t end_of_tar = 2 * tar_block;
constexpr uint64_t most_in_piece = uint64_t{4} << 30;   // ustar can say that
constexpr uint64_t least_in_piece = uint64_t{64} << 10; // less does not begin at the end of a segment
// The bytes of the index: for each piece, and for everything else in it.
constexpr uint64_t index_for_piece = 300;
constexpr uint64_t index_at_least = 64 << 10;

uint64_t padded(uint64_t size) {
    return (size + tar_block - 1) / tar_block * tar_block;
}

} // namespace

struct ArchiveWriter::State {
    const uint64_t segment_size;
    const BlobPlaces carried;
    const std::vector<std::string> after;
    UnfinishedArchive unfinished;
    image::BlobStore spool; // blobs arrive side by side
    std::mutex mutex;
    BlobPlaces needed_before; // of `carried`
    bool is_broken = false;   // a segment could not be written to its end
    // Without a repository: what an interrupted run has left, and nothing has needed yet.
    BlobPlaces written;
    std::map<std::string, image::IndexEntry> images; // by name
    size_t segments = 0;
    std::unique_ptr<UnfinishedSegment> segment; // the last one
    SegmentIndex index;                         // of it
    uint64_t bytes = 0;                         // of those before it

    State(const fs::path& prefix, uint64_t size, BlobPlaces before, std::vector<std::string> sets)
        : segment_size(size), carried(std::move(before)), after(std::move(sets)), unfinished(prefix, size),
          spool(unfinished.directory()) {
        UnfinishedArchive::Left left = unfinished.recover(segment);
        for (const std::string& digest : left.blobs) written.emplace(digest, std::string());
        segments = left.segments;
        bytes = left.bytes;
        index = {unfinished.set(), segments, std::move(left.pieces), false, {}, {}, {}};
    }

    // Returns true if the archive has a blob, which an image in the repository needs.
    bool has(const std::string& digest, const std::string& repository) {
        const auto known = written.find(digest);
        if (known == written.end()) return false;
        if (known->second.empty()) known->second = repository;
        return true;
    }

    uint64_t room() const {
        if (!segment) return 0;
        const uint64_t used = segment->size() + tar_block +
                              padded(index_at_least + (index.pieces.size() + 1) * index_for_piece) +
                              tar_block + end_of_tar;
        return used >= segment_size ? 0 : (segment_size - used) / tar_block * tar_block;
    }

    void begin_segment() {
        if (segment) end_segment();
        if (segments == most_segments)
            throw Error(fmt::format("the archive would have more than {} segments", most_segments),
                        "allow larger ones: --archive-size");
        segment = unfinished.begin_segment(++segments);
        index = {unfinished.set(), segments, {}, false, {}, {}, {}};
    }

    void end_segment() {
        const std::string json = index.to_json();
        segment->tar().file(fmt::format("{}{}.json", segment_index_prefix, sha256_hex(json)), json);
        segment->finish();
        bytes += segment->size();
    }

    // A blob that is there and has been checked.
    void append(const std::string& digest, const fs::path& file, uint64_t size,
                const std::string& repository) {
        const std::lock_guard lock(mutex);
        if (has(digest, repository)) return;
        if (is_broken) throw Error("an earlier part of the archive could not be written");
        is_broken = true; // unless it ends well
        for (uint64_t done = 0; done < size || size == 0;) {
            const uint64_t left = size - done;
            if (!segment || room() < std::min(left, least_in_piece)) begin_segment();
            ArchivePiece piece{digest, done, std::min({left, room(), most_in_piece}), digest, false, 0};
            piece.is_whole = piece.size == size;
            if (!piece.is_whole) piece.content = digest_of(file, done, piece.size);
            segment->tar().copy(piece.path(), file, done, piece.size);
            done += piece.size;
            index.pieces.push_back(std::move(piece));
            if (size == 0) break;
        }
        written.emplace(digest, repository);
        is_broken = false;
    }

    static std::string digest_of(const fs::path& file, uint64_t offset, uint64_t size) {
        const RegularFile reader(file);
        std::string buffer(size_t{256} << 10, '\0');
        Sha256 hash;
        for (uint64_t done = 0; done < size;) {
            const size_t got =
                reader.read_at(offset + done, std::span(buffer.data(), static_cast<size_t>(std::min<uint64_t>(
                                                                           buffer.size(), size - done))));
            if (got == 0)
                throw Error(fmt::format("cannot read {}: it changes while it is read", file.string()));
            hash.update({buffer.data(), got});
            done += got;
        }
        return "sha256:" + hash.finish_hex();
    }

    void append(const std::string& bytes_of_it, const std::string& repository) {
        const std::string digest = "sha256:" + sha256_hex(bytes_of_it);
        const fs::path file = unfinished.directory() / (digest.substr(digest.find(':') + 1) + ".document");
        write_file(file, bytes_of_it);
        append(digest, file, bytes_of_it.size(), repository);
        fs::remove(file);
    }
};

class ArchiveWriter::Writer : public image::ImageWriter {
public:
    Writer(State& state, std::string name, image::Annotations annotations)
        : state_(state), name_(std::move(name)), annotations_(std::move(annotations)) {}

    std::optional<std::string> current_digest() override { return std::nullopt; }
    bool has_manifest(const image::Descriptor& /*wanted*/) override { return false; }
    bool has_blob(const image::Descriptor& blob, const std::vector<PullSpec>& /*from*/) override {
        const std::lock_guard lock(state_.mutex);
        if (const auto known = state_.carried.find(blob.digest); known != state_.carried.end()) {
            state_.needed_before.insert(*known);
            return true;
        }
        return state_.has(blob.digest, repository());
    }
    void put_blob(const image::Descriptor& blob, const std::function<void(uint64_t)>& on_bytes,
                  const image::FillBlob& fill) override {
        const fs::path file = state_.spool.get(blob, on_bytes, fill);
        state_.append(blob.digest, file, blob.size, repository());
        fs::remove(file);
    }
    // Few bytes, which an archive always has: so its images can be read although blobs came before.
    void put_manifest(const std::string& bytes) override { state_.append(bytes, repository()); }
    void put_image(const std::string& bytes) override {
        state_.append(bytes, repository());
        const image::Descriptor manifest{"sha256:" + sha256_hex(bytes), bytes.size(),
                                         image::media_type_of(image::parse_manifest(bytes))};
        const std::lock_guard lock(state_.mutex);
        state_.images[name_] = {manifest, std::nullopt, annotations_};
        state_.images[name_].annotations[image::name_annotation] = name_;
    }

private:
    std::string repository() const { return name_.substr(0, name_.rfind(':')); }

    State& state_;
    const std::string name_;
    const image::Annotations annotations_;
};

ArchiveWriter::ArchiveWriter(const fs::path& prefix, uint64_t segment_size, BlobPlaces carried,
                             std::vector<std::string> after) {
    if (segment_size < least_segment_size)
        throw RequestError(fmt::format("an archive cannot have segments of {} bytes", segment_size),
                           "allow at least 1 MiB");
    if (prefix.has_parent_path()) make_directories(prefix.parent_path());
    state_ = std::make_unique<State>(prefix, segment_size, std::move(carried), std::move(after));
}

ArchiveWriter::~ArchiveWriter() = default;

std::unique_ptr<image::ImageWriter> ArchiveWriter::writer(std::string name, image::Annotations annotations) {
    return std::make_unique<Writer>(*state_, std::move(name), std::move(annotations));
}

void ArchiveWriter::annotate(const std::string& image, const char* name, std::string text) {
    const std::lock_guard lock(state_->mutex);
    state_->images.at(image).annotations[name] = std::move(text);
}

WrittenArchive ArchiveWriter::commit() {
    State& state = *state_;
    std::vector<image::IndexEntry> entries;
    for (auto& [name, entry] : state.images) entries.push_back(std::move(entry));
    const std::string images = write_image_list(entries);
    state.append(images, {});
    std::erase_if(state.written, [](const auto& blob) { return blob.second.empty(); });
    state.index.is_last = true;
    state.index.images = "sha256:" + sha256_hex(images);
    state.index.after = state.after;
    state.index.before = std::move(state.needed_before);
    state.end_segment();
    state.unfinished.publish(state.segments);
    return {state.unfinished.set(), state.segments, state.bytes, std::move(state.written)};
}

} // namespace opcat
