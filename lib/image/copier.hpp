// Images from where they are to where they are wanted, byte for byte: digests never change.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/image/image_io.hpp"
#include "opcat/image/name.hpp"
#include "opcat/image/options.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat::image {

// Where images are, by their names. Keeps connections, logins and what it has learnt about registries. May be
// used by several threads; readers and writers must not outlive it.
class ImageStores {
public:
    explicit ImageStores(Options options);
    ~ImageStores();
    ImageStores(const ImageStores&) = delete;
    ImageStores& operator=(const ImageStores&) = delete;

    const Options& options() const;
    // Throw Error with a reason that does not name the image. Mirrors of registries are only read from.
    std::unique_ptr<ImageReader> reader(const Name& name);
    std::unique_ptr<ImageWriter> writer(const Name& name);
    // Removes an image from its registry; false if it was not there.
    bool remove(const PullSpec& repository, const std::string& digest);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// One image to copy. Both names are for messages.
struct CopyJob {
    std::string from;
    std::string to;
    // Made when it is the image's turn; what they throw is the image's failure.
    std::function<std::unique_ptr<ImageReader>()> reader;
    std::function<std::unique_ptr<ImageWriter>()> writer;
};

struct CopyResult {
    std::string from;
    std::string to;
    bool done = false;       // the target is this image
    bool changed = false;    // and was not before
    std::string digest;      // of the manifest or index that was copied
    size_t blobs = 0;        // that the image has, each once; none of an image that was there
    uint64_t bytes = 0;      // of them
    uint64_t bytes_sent = 0; // of those, the ones that had to be transferred
    std::string warning;     // about the image that was chosen of an index; mostly empty
    std::optional<Error> failure;
};

// How far all are together. Totals grow as manifests are read.
struct CopyProgress {
    size_t images = 0;
    size_t images_done = 0; // or failed
    uint64_t bytes = 0;     // of blobs that must be transferred
    uint64_t bytes_sent = 0;
};
// From any thread, never from two at once. `finished`: what is done now, or has failed; mostly null.
using OnCopyProgress = std::function<void(const CopyProgress&, const CopyResult* finished)>;

struct CopyOptions {
    PlatformChoice platform = {}; // with `wanted` the one image of an index that is for it, else all
    bool stop_at_failure = true;  // what has not begun by then is left out
    bool dry_run = false;         // only looks what would be transferred
};

// Copies all, side by side as `pool` allows, each blob once for each repository; an image's manifests follow
// its blobs, and its name comes last. Results are in the order of the jobs.
std::vector<CopyResult> copy_images(std::span<const CopyJob> jobs, const CopyOptions& options,
                                    ThreadPool& pool, const OnCopyProgress& on_progress = {});

} // namespace opcat::image
