// Catalogs with all images of their bundles, on their way to another registry or to a directory.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/image/copier.hpp"
#include "opcat/mirror/plan.hpp"
#include "opcat/mirror/resources.hpp"
#include "opcat/shard/shard.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace opcat {

struct MirroredImages {
    std::vector<image::CopyResult> results; // of images, then of catalogs
    size_t failed = 0;
};

struct PrunedImages {
    std::vector<std::string> images; // by their names in the mirror
    uint64_t bytes = 0;              // of a directory only: registries do not say
};

// Fill it with `add` or `read_directory`, then copy. Throws Error for what is not about one image.
class Mirror {
public:
    // `target`: "registry.example/prefix", or "dir:DIR" for an OCI layout that holds all images by their
    // names in the mirror. Throws RequestError if it is neither.
    Mirror(image::Options options, const std::string& target);
    ~Mirror();
    Mirror(const Mirror&) = delete;
    Mirror& operator=(const Mirror&) = delete;

    static bool is_directory(const std::string& target);

    // An image's name with the digest that it has now, so that all of a run is about one image.
    std::string pin(const std::string& reference);

    // The images of `content`, and the catalog itself as `name`. With `as_it_is` that is the image
    // `reference`; else one that is made of `content`, on top of the image `reference`, unless that is empty.
    void add(const MirrorName& name, const std::string& reference, const Catalog& content, bool as_it_is,
             ThreadPool& pool);
    // All that is in a directory that has been a target.
    void read_directory(const std::filesystem::path& directory);

    // Before `copy`: it copies only the images of this shard, and no catalog. Throws RequestError if the
    // target is a directory.
    void only_shard(const Shard& shard);
    // Before `copy`: what so many shards have copied counts as this run's own work. Throws RequestError as
    // above.
    void finish_shards(unsigned count);

    // The images, and then the catalogs; no catalog, if an image fails that is not to be passed over. A
    // failure says which bundles want the image.
    MirroredImages copy(const image::CopyOptions& options, ThreadPool& pool,
                        const image::OnCopyProgress& on_progress);
    // Removes what earlier runs put there for these catalogs, and this one did not copy. After `copy`.
    PrunedImages prune(ThreadPool& pool);
    // Of a registry.
    std::vector<ResourceFile> resources() const;

private:
    void require_registry() const;

    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat
