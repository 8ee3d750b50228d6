#include "opcat/mirror/unfinished_archive.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/regular_file.hpp"
#include "opcat/mirror/segment_reader.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <optional>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;
namespace {

[[noreturn]] void cannot_write(const fs::path& file) {
    throw Error(fmt::format("cannot write {}: {}", file.string(), system_message(errno)));
}

std::string random_name() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

bool has_files(const fs::path& directory) {
    std::error_code failed;
    for (fs::recursive_directory_iterator at(directory, failed), end; !failed && at != end;
         at.increment(failed))
        if (at->is_regular_file(failed)) return true;
    return false;
}

// Finds out how much of the segments is whole. A blob that is divided counts when all of it is there.
class Recovery {
public:
    explicit Recovery(std::function<fs::path(size_t)> file_of) : file_of_(std::move(file_of)) {}

    void run() {
        std::error_code absent;
        while (segments_.size() < most_segments && fs::exists(file_of_(segments_.size() + 1), absent)) {
            if (!divided_)
                for (Segment& segment : segments_)
                    segment.pieces = {}; // only those of the last are asked for
            segments_.emplace_back();
            if (!read(file_of_(segments_.size()))) break; // nothing follows what was not ended
        }
        end_divided();
    }

    size_t segments() const { return segments_.size(); }
    // Of the last one.
    uint64_t end() const { return segments_.back().end; }
    std::vector<ArchivePiece> take_pieces() { return std::move(segments_.back().pieces); }
    std::set<std::string> take_blobs() { return std::move(blobs_); }

private:
    struct Segment {
        std::vector<ArchivePiece> pieces;
        uint64_t end = 0; // of the last of them
    };
    // A blob of which pieces were read, up to `size`; it begins after so many pieces of that segment.
    struct Divided {
        std::string digest;
        size_t segment = 0;
        size_t pieces = 0;
        uint64_t begin = 0;
        uint64_t size = 0;
        Sha256 hash = {};
    };

    // Returns true if the segment has an end.
    bool read(const fs::path& path) {
        const RegularFile file(path);
        try {
            for (uint64_t at = 0; auto entry = next_entry(file, at);) {
                if (entry->path.starts_with(segment_index_prefix)) return true;
                if (!take(file, *entry)) return false;
                segments_.back().end = at;
            }
        } catch (const Error&) {
            // It ends here.
        }
        return false;
    }

    bool take(const RegularFile& file, const SegmentEntry& entry) {
        auto piece = ArchivePiece::parse(entry.path);
        if (!piece) return false;
        const bool goes_on = divided_ && !piece->is_whole && piece->digest == divided_->digest &&
                             piece->offset == divided_->size;
        if (!goes_on && (!end_divided() || piece->offset > 0)) return false;
        if (!goes_on && !piece->is_whole)
            divided_ = Divided{piece->digest, segments_.size() - 1, segments_.back().pieces.size(),
                               segments_.back().end};
        Sha256 hash;
        read_part(file, entry.at, entry.size, [&](std::string_view bytes) {
            hash.update(bytes);
            if (divided_) divided_->hash.update(bytes);
        });
        if (divided_) divided_->size += entry.size;
        piece->size = entry.size;
        piece->content = "sha256:" + hash.finish_hex();
        if (piece->is_whole && piece->content != piece->digest) return false;
        if (piece->is_whole) blobs_.insert(piece->digest);
        segments_.back().pieces.push_back(*std::move(piece));
        return true;
    }

    // Cuts off the pieces of a blob that is not whole; false if it did.
    bool end_divided() {
        if (!divided_) return true;
        Divided blob = *std::exchange(divided_, std::nullopt);
        if ("sha256:" + blob.hash.finish_hex() == blob.digest) {
            blobs_.insert(blob.digest);
            return true;
        }
        segments_.resize(blob.segment + 1);
        segments_.back().pieces.resize(blob.pieces);
        segments_.back().end = blob.begin;
        return false;
    }

    const std::function<fs::path(size_t)> file_of_;
    std::vector<Segment> segments_;
    std::optional<Divided> divided_;
    std::set<std::string> blobs_;
};

// That the segment belongs to; empty if it does not say so.
std::string set_of(const fs::path& segment) {
    const RegularFile file(segment);
    try {
        for (uint64_t at = 0; const auto entry = next_entry(file, at);) {
            if (!entry->path.starts_with(segment_index_prefix)) continue;
            std::string json;
            if (entry->size > most_in_segment_index) return {};
            read_part(file, entry->at, entry->size, [&](std::string_view bytes) { json += bytes; });
            return SegmentIndex::parse(json).set;
        }
    } catch (const Error&) {
        // It is something else.
    }
    return {};
}

} // namespace

UnfinishedSegment::UnfinishedSegment(fs::path file, uint64_t size)
    : file_(std::move(file)),
      descriptor_(::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)), size_(size),
      tar_(
          [this](std::string_view bytes) {
              while (!bytes.empty()) {
                  const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
                  if (n < 0 && errno == EINTR) continue;
                  if (n < 0) cannot_write(file_);
                  bytes.remove_prefix(static_cast<size_t>(n));
                  size_ += static_cast<uint64_t>(n);
              }
          },
          0) {
    const auto end = static_cast<off_t>(size);
    if (descriptor_ < 0 || ::ftruncate(descriptor_, end) != 0 || ::lseek(descriptor_, end, SEEK_SET) != end)
        cannot_write(file_);
}

UnfinishedSegment::~UnfinishedSegment() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void UnfinishedSegment::finish() {
    tar_.finish();
    if (::fsync(descriptor_) != 0) cannot_write(file_);
}

UnfinishedArchive::UnfinishedArchive(const fs::path& prefix, uint64_t segment_size)
    : prefix_(prefix), directory_(prefix.string() + "-unfinished") {
    std::error_code absent;
    if (!fs::exists(directory_, absent)) require_no_archive();
    make_directories(directory_);
    lock_ = ::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (lock_ < 0) cannot_write(directory_);
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        ::close(lock_);
        throw RequestError(fmt::format("another run is filling the archive {}", prefix.string()),
                           "wait for its end, or take another name");
    }
    try {
        find_set(segment_size);
    } catch (const Error&) {
        ::close(lock_);
        throw;
    }
}

// What the segments have in common, and their size.
void UnfinishedArchive::find_set(uint64_t segment_size) {
    const fs::path file = directory_ / "set";
    const std::string size = fmt::format(" {}\n", segment_size);
    std::error_code absent;
    if (fs::exists(file, absent)) set_ = read_file(file, file.string())->bytes();
    if (set_.size() > size.size() && set_.ends_with(size)) {
        set_.resize(set_.size() - size.size());
        take_back();
        return require_no_archive();
    }
    require_no_archive();
    // It is removed as a whole at the end.
    if (set_.empty() && !fs::is_empty(directory_, absent))
        throw RequestError(fmt::format("{} is there, and opcat has not made it", directory_.string()),
                           "take another name for the archive, or remove it");
    for (size_t number = 1; fs::remove(file_of(number), absent);) ++number;
    set_ = random_name();
    write_file(file, set_ + size);
}

// A run that was killed in publish() has given their names to some segments.
void UnfinishedArchive::take_back() const {
    for (const size_t number : existing_segments(prefix_)) {
        const fs::path place = segment_file(prefix_, number);
        std::error_code failed;
        if (fs::exists(file_of(number), failed) || set_of(place) != set_) continue;
        fs::rename(place, file_of(number), failed);
        if (failed)
            throw Error(fmt::format("cannot rename {} to {}: {}", place.string(), file_of(number).string(),
                                    failed.message()));
    }
}

void UnfinishedArchive::require_no_archive() const {
    const std::vector<size_t> segments = existing_segments(prefix_);
    if (segments.empty()) return;
    throw RequestError(
        fmt::format("there is an archive {} already", segment_file(prefix_, segments.front()).string()),
        "move it away when it is carried, or take another name");
}

UnfinishedArchive::~UnfinishedArchive() {
    std::error_code failed;
    const bool has_nothing = !fs::exists(file_of(1), failed) && !has_files(directory_ / "blobs") &&
                             !has_files(directory_ / "parts"); // of its BlobStore
    if (has_nothing) fs::remove_all(directory_, failed);
    ::close(lock_);
}

fs::path UnfinishedArchive::file_of(size_t number) const {
    return segment_file(directory_ / "segment", number);
}

std::unique_ptr<UnfinishedSegment> UnfinishedArchive::begin_segment(size_t number) const {
    return std::make_unique<UnfinishedSegment>(file_of(number), 0);
}

UnfinishedArchive::Left UnfinishedArchive::recover(std::unique_ptr<UnfinishedSegment>& last) const {
    Recovery recovery([this](size_t number) { return file_of(number); });
    recovery.run();
    Left left;
    left.segments = recovery.segments();
    std::error_code absent;
    for (size_t number = left.segments + 1; fs::remove(file_of(number), absent);) ++number;
    if (left.segments == 0) return left;
    for (size_t number = 1; number < left.segments; ++number) left.bytes += fs::file_size(file_of(number));
    last = std::make_unique<UnfinishedSegment>(file_of(left.segments), recovery.end());
    left.pieces = recovery.take_pieces();
    left.blobs = recovery.take_blobs();
    return left;
}

void UnfinishedArchive::publish(size_t segments) {
    for (size_t number = 1; number <= segments; ++number) {
        const fs::path place = segment_file(prefix_, number);
        std::error_code failed;
        fs::permissions(file_of(number), static_cast<fs::perms>(permissions_for(place)), failed);
        if (!failed) fs::rename(file_of(number), place, failed);
        if (failed) throw Error(fmt::format("cannot write {}: {}", place.string(), failed.message()));
    }
    // "set" is the last to go: until then the next run knows whose segments these are.
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_, ignored))
        if (entry.path().filename() != "set") fs::remove_all(entry.path(), ignored);
    fs::remove_all(directory_, ignored);
}

} // namespace opcat
