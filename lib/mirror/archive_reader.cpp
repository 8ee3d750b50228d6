#include "opcat/mirror/archive_reader.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/regular_file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/archive_format.hpp"
#include "opcat/mirror/image_list.hpp"
#include "opcat/mirror/segment_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

namespace opcat {

namespace fs = std::filesystem;
namespace {

std::string digest_of_part(const RegularFile& file, uint64_t at, uint64_t size) {
    Sha256 hash;
    read_part(file, at, size, [&](std::string_view bytes) { hash.update(bytes); });
    return "sha256:" + hash.finish_hex();
}

// A segment whose parts all have their digests.
SegmentIndex read_segment(const RegularFile& file) {
    std::vector<SegmentEntry> entries;
    uint64_t at = 0;
    while (auto entry = next_entry(file, at)) {
        if (entries.size() > most_pieces) throw Error(fmt::format("it has more than {} parts", most_pieces));
        entries.push_back(*std::move(entry));
    }
    if (entries.empty() || !entries.back().path.starts_with(segment_index_prefix))
        throw Error("it has no index");
    const SegmentEntry last = entries.back();
    entries.pop_back();
    if (last.size > most_in_segment_index) throw Error("its index is too large");
    std::string json;
    read_part(file, last.at, last.size, [&](std::string_view bytes) { json += bytes; });
    if (last.path != fmt::format("{}{}.json", segment_index_prefix, sha256_hex(json)))
        throw Error("its index is damaged");
    SegmentIndex index = SegmentIndex::parse(json);
    if (index.pieces.size() != entries.size()) throw Error("its index is of other parts");
    for (size_t i = 0; i < entries.size(); ++i) {
        ArchivePiece& piece = index.pieces[i];
        if (entries[i].path != piece.path() || entries[i].size != piece.size)
            throw Error("its index is of other parts");
        piece.at = entries[i].at;
        if (digest_of_part(file, piece.at, piece.size) != piece.content)
            throw Error(fmt::format("{} is damaged", piece.path()));
    }
    return index;
}

} // namespace

struct ArchiveReader::State {
    struct Place {
        const RegularFile* file = nullptr;
        uint64_t at = 0;
        uint64_t size = 0;
    };

    fs::path prefix;
    std::vector<std::unique_ptr<RegularFile>> files;
    std::map<std::string, std::map<uint64_t, Place>> blobs; // by digest and offset
    std::vector<std::string> after;
    BlobPlaces before;
    std::string registry;
    std::vector<image::IndexEntry> images;

    // Throws Error if no part of it is there.
    const std::map<uint64_t, Place>& parts_of(const image::Descriptor& wanted) const {
        const auto blob = blobs.find(wanted.digest);
        if (blob != blobs.end()) return blob->second;
        throw Error(fmt::format("the archive does not have {}", wanted.digest),
                    after.empty() ? "fill it again"
                                  : "bring the archives before this one first: it was made with --since")
            .as_absent();
    }

    void read(image::BlobSink& to, const image::Descriptor& wanted) const {
        for (const auto& [offset, place] : parts_of(wanted)) {
            if (offset != to.size())
                throw Error(fmt::format("the archive does not have all of {}", wanted.digest));
            read_part(*place.file, place.at, place.size, [&](std::string_view bytes) { to.write(bytes); });
        }
        to.check();
    }

    bool has(const image::Descriptor& wanted) const {
        const auto blob = blobs.find(wanted.digest);
        if (blob == blobs.end()) return false;
        uint64_t size = 0;
        for (const auto& [offset, place] : blob->second) {
            if (offset != size) return false;
            size += place.size;
        }
        return size == wanted.size;
    }
};

class ArchiveReader::Reader : public image::ImageReader {
public:
    Reader(const State& state, image::Descriptor manifest) : state_(state), manifest_(std::move(manifest)) {}

    std::optional<std::string> digest() const override { return manifest_.digest; }
    std::string manifest() override { return manifest(manifest_); }
    std::string manifest(const image::Descriptor& wanted) override {
        image::TextSink text(wanted);
        state_.read(text, wanted);
        return std::move(text.text);
    }
    void blob(const image::Descriptor& wanted, image::BlobSink& to) override { state_.read(to, wanted); }
    bool has_blob(const image::Descriptor& wanted) override { return state_.has(wanted); }
    void require_blob(const image::Descriptor& wanted) override {
        (void)state_.parts_of(wanted);
        ImageReader::require_blob(wanted);
    }
    // Returns the repositories to which an earlier archive has brought it.
    std::vector<PullSpec> repositories(const image::Descriptor& blob) const override {
        const auto known = state_.before.find(blob.digest);
        if (known == state_.before.end() || state_.registry.empty()) return {};
        const auto spec = PullSpec::parse(state_.registry + "/" + known->second + ":latest");
        return spec ? std::vector<PullSpec>{*spec} : std::vector<PullSpec>();
    }

private:
    const State& state_;
    const image::Descriptor manifest_;
};

ArchiveReader::ArchiveReader(fs::path prefix, const std::string& registry, ThreadPool& pool)
    : state_(std::make_unique<State>()) {
    State& state = *state_;
    state.prefix = std::move(prefix);
    state.registry = registry;
    const std::string shown = state.prefix.string();
    const std::vector<size_t> numbers = existing_segments(state.prefix);
    if (numbers.empty())
        throw Error(fmt::format("there is no archive {}", segment_file(state.prefix, 1).string()),
                    "correct its name: archive:usb stands for usb-000001.tar and those after it");
    if (numbers.size() > most_segments)
        throw Error(fmt::format("{} has more than {} segments", shown, most_segments));
    std::vector<std::optional<SegmentIndex>> indexes(numbers.size());
    std::vector<std::string> faults(numbers.size());
    state.files.resize(numbers.size());
    pool.for_each(numbers.size(), [&](size_t i) {
        try {
            state.files[i] = std::make_unique<RegularFile>(segment_file(state.prefix, numbers[i]));
            indexes[i] = read_segment(*state.files[i]);
            if (indexes[i]->number != numbers[i])
                throw Error(fmt::format("it is segment {} under another name", indexes[i]->number));
        } catch (const Error& error) {
            faults[i] = error.what();
        }
    });
    std::vector<std::string> problems;
    const auto name_of = [&](size_t number) {
        return segment_file(state.prefix, number).filename().string();
    };
    size_t expected = 1;
    const SegmentIndex* last = nullptr;
    std::string set;
    size_t pieces = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
        for (; expected < numbers[i] && problems.size() <= most_segments; ++expected)
            problems.push_back(name_of(expected) + " is missing");
        expected = numbers[i] + 1;
        if (!faults[i].empty()) {
            problems.push_back(fmt::format("{} is damaged ({})", name_of(numbers[i]), printable(faults[i])));
            continue;
        }
        if (set.empty()) set = indexes[i]->set;
        if (indexes[i]->set != set) problems.push_back(name_of(numbers[i]) + " is of another archive");
        if (last) problems.push_back(name_of(numbers[i]) + " comes after the last segment");
        if (indexes[i]->is_last) last = &*indexes[i];
        pieces += indexes[i]->pieces.size();
    }
    if (!last && faults.back().empty()) problems.push_back(name_of(expected) + " is missing");
    if (!problems.empty())
        throw Error(fmt::format("the archive {} is not complete: {}", shown, listed(problems, 20)),
                    "bring these segments again; nothing was copied");
    if (pieces > most_pieces)
        throw Error(fmt::format("the archive {} has more than {} parts", shown, most_pieces));
    for (size_t i = 0; i < numbers.size(); ++i)
        for (const ArchivePiece& piece : indexes[i]->pieces)
            state.blobs[piece.digest].emplace(piece.offset,
                                              State::Place{state.files[i].get(), piece.at, piece.size});
    state.after = last->after;
    state.before = last->before;
    const auto list = state.blobs.find(last->images);
    uint64_t size = 0;
    if (list != state.blobs.end())
        for (const auto& [offset, place] : list->second) size += place.size;
    if (list == state.blobs.end() || size > most_in_image_list)
        throw Error(fmt::format("the archive {} has no valid list of its images", shown));
    std::string json;
    for (const auto& [offset, place] : list->second)
        read_part(*place.file, place.at, place.size, [&](std::string_view bytes) { json += bytes; });
    try {
        state.images = parse_image_list(json);
    } catch (const Error&) {
        throw Error(fmt::format("the archive {} has no valid list of its images", shown));
    }
}

ArchiveReader::~ArchiveReader() = default;

const std::vector<image::IndexEntry>& ArchiveReader::images() const {
    return state_->images;
}

std::unique_ptr<image::ImageReader> ArchiveReader::reader(const image::Descriptor& manifest) const {
    return std::make_unique<Reader>(*state_, manifest);
}

} // namespace opcat
