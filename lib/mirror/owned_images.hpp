// Keeps records of what opcat's runs have put into a registry, so that nothing else is ever removed.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/image/image_stores.hpp"
#include "opcat/mirror/record.hpp"
#include "opcat/mirror/release_signatures.hpp"
#include "opcat/shard/shard.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace opcat {

// An image of this run, and the catalogs that it is for, by their names in the mirror.
struct OwnedImage {
    MirrorName name;
    std::set<std::string> catalogs;
    std::string digest;                 // empty: unknown
    std::set<std::string> sources = {}; // its pull specs at home; none: an attachment or a catalog
    Platforms platforms = {};           // of an index, those that are copied; none: all
    SignatureData signatures = {};      // of a release
    bool is_absent = false;             // the registry has it under no name
};

// Reads what runs have recorded in the mirror below a prefix; `record`: the one of a shard, or the common
// one. Nothing if there is none. Throws Error.
std::optional<MirrorRecord> read_mirror_record(image::ImageStores& stores, const std::string& prefix,
                                               const MirrorName& record, ThreadPool& pool);
inline const MirrorName common_record{record_repository, "latest"};

class OwnedImages {
public:
    // `prefix`: of the mirror. A shard has a record of its own: two that write the same one would lose each
    // other's entries.
    OwnedImages(image::ImageStores& stores, std::string prefix)
        : stores_(stores), prefix_(std::move(prefix)) {}

    void set_shard(const Shard& shard) { shard_ = shard; }
    void set_shards_to_finish(unsigned count) { shards_to_finish_ = count; }

    // Reads what earlier runs have put there, and the shards of this one. Throws Error.
    void read(ThreadPool& pool);
    // Returns true if an earlier run has put an image there under this name.
    bool knows(const MirrorName& name) const;
    // Returns true if earlier runs have put only a part of the images of an index there under this name.
    bool has_part_of(const MirrorName& name) const;
    // What an earlier run has put there under this name for other catalogs, if it is another image of another
    // repository at home: a name has one image. Nothing if there is none.
    std::optional<std::string> taken_by(const OwnedImage& image) const;
    // Before these images are put there: an interrupted run leaves what the next one knows. Throws Error.
    void begin_to_put(const std::vector<OwnedImage>& images, ThreadPool& pool);
    // These are put there now, or would be in a run that only looks.
    void expect(const std::vector<OwnedImage>& images, ThreadPool& pool);
    // This is there now.
    void put(const OwnedImage& image);
    // Writes the record with these images of the run, if any is there. Keeps what another run has written
    // meanwhile for other catalogs. Throws Error.
    void finish(const std::vector<OwnedImage>& images, ThreadPool& pool);
    // Returns those of all releases that this run and earlier ones have put there.
    SignatureData signatures() const;
    // Returns what earlier runs have mirrored for other catalogs than those of these images, with their
    // sources.
    std::vector<OwnedImage> of_other_catalogs(const std::vector<OwnedImage>& images) const;

    struct Removed {
        std::vector<std::string> images;
        std::map<std::string, std::string> kept; // by name: why
    };
    // Removes what earlier runs have put there for catalogs of `wanted`, which has all images of this run,
    // and that is not in it; attachments only if asked for. `dry_run` changes nothing. Throws Error.
    Removed remove_others(const std::vector<OwnedImage>& wanted, bool attachments, bool dry_run,
                          ThreadPool& pool);

    // Of images to remove, those that somebody else has given a tag or has put into an index, or may have,
    // where the registry does not list its tags, and those that a mirror below another prefix needs: why each
    // stays. Registries remove images under all their names. After `read`. Throws Error.
    std::map<std::string, std::string> used_by_others(const std::map<MirrorName, std::string>& images,
                                                      ThreadPool& pool);
    // Removes images that runs have put there. After `read`. Throws Error.
    void remove(const std::map<MirrorName, std::string>& images, ThreadPool& pool);

private:
    void remove(const std::map<MirrorName, std::string>& images, MirrorRecord& record, ThreadPool& pool);
    void know(const MirrorRecord& record);
    // Returns true if this account can see the record of a mirror below this prefix.
    bool has_record(const std::string& prefix);
    // Adds images that mirrors below prefixes around this one, and below ones inside it, need.
    void add_used_by_mirrors(const std::map<MirrorName, std::string>& images,
                             std::map<std::string, std::string>& used, ThreadPool& pool);
    // Adds to `record`, and to what this run knows, what another run has written since. True: there is one.
    bool catch_up(MirrorRecord& record, ThreadPool& pool);
    // Writes the common record, or the one of this shard, after `catch_up`.
    void publish(MirrorRecord& record, ThreadPool& pool);
    bool is_ours(const OwnedImage& image) const {
        return ours_.contains({image.name.repository, image.digest});
    }
    MirrorName record_name() const { return {record_repository, shard_ ? shard_->file_stem() : "latest"}; }
    image::Name name_of(const MirrorName& name) const;
    MirrorRecord read_record(const MirrorName& record, ThreadPool& pool);
    void write_record(const MirrorRecord& record, ThreadPool& pool);
    MirrorRecord merged() const;
    MirrorRecord current() const;

    image::ImageStores& stores_;
    const std::string prefix_;
    std::optional<Shard> shard_;
    unsigned shards_to_finish_ = 0;
    MirrorRecord before_;
    MirrorRecord now_;
    std::string last_;          // the common record as this run has last read or written it
    std::set<std::string> own_; // the catalogs of this run
    std::set<std::pair<std::string, std::string>> ours_; // repository and digest of what runs have put there
    std::set<MirrorName> there_;                         // images of this run that are there now
};

} // namespace opcat
