// Copies images byte for byte: digests never change.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/image/image_io.hpp"
#include "opcat/image/options.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace opcat::image {

// One image to copy. Both names are for messages.
struct CopyJob {
    std::string from;
    std::string to;
    // Called when the image's turn comes; if they throw, the image has failed.
    std::function<std::unique_ptr<ImageReader>()> reader;
    std::function<std::unique_ptr<ImageWriter>()> writer;
    // Of an index, which stays as it is, only the images for these are copied; empty: all.
    std::vector<Platform> platforms = {};
    // Looks for every blob, although the target has the image's manifest.
    bool all_blobs = false;
    // The target may have only a part of the images of an index whose manifest it has.
    bool may_lack_images = false;
    // Nothing says that the target has the image: it is asked for the digest, which answers for all names.
    bool is_new = false;
    // Digests of blobs, and of the image itself, that are sent although the target says that it has them.
    std::set<std::string> damaged = {};
};

struct CopyResult {
    std::string from;
    std::string to;
    bool done = false;       // the target has this image already
    bool changed = false;    // and was not before
    std::string digest;      // of the manifest or index that was copied
    size_t blobs = 0;        // of the image, each once; 0 for an image that the target has
    uint64_t bytes = 0;      // of them
    uint64_t bytes_sent = 0; // the part of them that had to be transferred
    std::string warning;     // about the image that was chosen of an index; usually empty
    std::optional<Error> failure;
};

// The progress of all jobs together. Totals grow as manifests are read.
struct CopyProgress {
    size_t images = 0;
    size_t images_done = 0; // or failed
    uint64_t bytes = 0;     // of blobs that must be transferred
    uint64_t bytes_sent = 0;
};
// Called from any thread, one call at a time. `finished`: the job that has just ended; usually null.
using OnCopyProgress = std::function<void(const CopyProgress&, const CopyResult* finished)>;

// A job whose target has another image, or none.
struct PlannedCopy {
    size_t job = 0;
    std::string digest;     // that the target will have
    bool is_absent = false; // it is known that the target has that under no name
};

struct CopyOptions {
    PlatformChoice platform = {}; // of an index, `wanted` copies the matching image, else all
    bool stop_at_failure = true;  // jobs that have not begun by then are skipped
    bool dry_run = false;         // only finds out what would be transferred
    // Called once before the first change of a target, if there is any; may be empty. If it throws, nothing
    // is changed.
    std::function<void(const std::vector<PlannedCopy>&)> before_change = {};
};

// Copies all images, concurrently as `pool` allows, each blob once for each repository. An image's blobs
// precede its manifests, and its name comes last. Results are in the order of the jobs.
std::vector<CopyResult> copy_images(std::span<const CopyJob> jobs, const CopyOptions& options,
                                    ThreadPool& pool, const OnCopyProgress& on_progress = {});

} // namespace opcat::image
