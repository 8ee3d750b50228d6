// Copies catalogs with all images of their bundles to another registry or to a directory.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/image/image_stores.hpp"
#include "opcat/mirror/archive_writer.hpp"
#include "opcat/mirror/blocked.hpp"
#include "opcat/mirror/catalog_items.hpp"
#include "opcat/mirror/graph_image.hpp"
#include "opcat/mirror/image_set.hpp"
#include "opcat/mirror/mirror_target.hpp"
#include "opcat/mirror/plan.hpp"
#include "opcat/mirror/resources.hpp"
#include "opcat/shard/shard.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace opcat {

struct MirrorRun {
    bool keep_going = false;      // the rest is copied when an image fails
    bool drop_incomplete = false; // and bundles whose images failed leave their catalogs
    bool dry_run = false;         // nothing changes, and all failures are found
    bool prune = false;           // `prune` follows
    image::Attachments attachments = image::Attachments::all;
};

struct MirroredImage {
    image::CopyResult copy; // `to` is empty if it cannot be in the mirror at all
    bool is_catalog = false;
    std::set<std::string> catalogs;   // that it is for, by their names in the mirror, or `additional_images`
    std::vector<std::string> bundles; // that need it
};

// A catalog that was made here, and so has no signature.
struct RebuiltCatalog {
    std::string image; // its name in the mirror, with its digest
};

struct MirroredImages {
    std::vector<MirroredImage> images; // those that cannot be copied first, catalogs last
    size_t failed = 0;
    bool failed_for_catalogs = false;
    bool failed_additional = false;
    // Else a first step could not copy all, which are failures here, too, unless their bundles were dropped.
    bool is_source_whole = true;
    bool is_source_unfinished = false;   // the last run that filled the directory has not ended
    IncompleteCatalogs incomplete;       // with `drop_incomplete`
    std::vector<RebuiltCatalog> rebuilt; // of catalogs that are images at home
    // Images whose registries do not let this account look for all that is attached to them.
    std::vector<std::string> hidden_attachments;
    std::optional<WrittenArchive> archive = {};

    void add(image::CopyResult result, const std::set<std::string>& catalogs,
             const std::vector<std::string>& bundles, bool is_catalog);
};

struct PrunedImages {
    std::vector<std::string> images;         // by their names in the mirror
    std::map<std::string, std::string> kept; // by name: why it stays although this mirror needs it no longer
    bool keeps_attachments = false;          // because it is not known which ones are still there at home
    // Files of a directory that no image needs any more: registries do not report them.
    size_t blobs = 0;
    uint64_t bytes = 0;
};

// Fill it with `add` or `read`, then copy. Throws Error for failures that do not concern a single
// image.
class Mirror {
public:
    Mirror(image::Options options, const MirrorTarget& target);
    ~Mirror();
    Mirror(const Mirror&) = delete;
    Mirror& operator=(const Mirror&) = delete;

    // The beginning of the names of all images, for a registry.
    const std::string& prefix() const;
    // Limits the parts that the paths of images may have in the registry, with those of the prefix. Throws
    // RequestError if that is too few, or if the target is not a registry.
    void limit_paths(unsigned most_parts);
    // Images that `add` leaves out from now on.
    void block(std::shared_ptr<const BlockedImages> blocked);

    // An image's name with its current digest, so that a run uses one image throughout.
    std::string pin(const std::string& reference);

    // The images of `content`, and the catalog itself.
    void add(const CatalogToMirror& wanted, const Catalog& content, ThreadPool& pool);
    // An image that no catalog needs.
    void add(const ImageSetImage& image);
    // The image of an update service, made here; takes its data along now. Throws Error.
    void add(const GraphImage& wanted);
    // All images in a directory ("dir:DIR") or an archive ("archive:PREFIX") that was a target of a mirror.
    void read(const std::string& from, ThreadPool& pool);

    // For an archive, before `copy`: sets how large its segments may be, and since when (archive_history.hpp)
    // blobs are carried again; empty: all are.
    // A dry run makes no directory for it.
    void write_archive(uint64_t segment_size, const std::string& since, bool dry_run);

    // Before `copy`: copies only the images of this shard, and no catalog. Throws RequestError if the target
    // is a directory.
    void only_shard(const Shard& shard);
    // Before `copy`: images that this number of shards have copied count as this run's own. Throws
    // RequestError as above.
    void finish_shards(unsigned count);

    // After `add`: throws RequestError for names that its resources cannot have.
    void check(const ResourceNames& names) const;
    // Before `add`, for MirrorRun::drop_incomplete.
    void keep_contents();

    // Copies the images, and then the catalogs; no catalogs if an image fails that must not be skipped. A
    // failure names the bundles that need the image.
    MirroredImages copy(const MirrorRun& run, ThreadPool& pool, const image::OnCopyProgress& on_progress);
    // Removes what earlier runs copied for these catalogs, and this run did not. After `copy`, with the same
    // `dry_run`.
    PrunedImages prune(bool dry_run, ThreadPool& pool);
    // For a registry, after `copy`: returns the resources for clusters. Mirror sets also have what the record
    // says about other catalogs.
    std::vector<ResourceFile> resources(const ResourceNames& names);

private:
    void require_registry() const;

    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat
