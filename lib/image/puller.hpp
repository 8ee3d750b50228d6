// Pulls images of all kinds of storage into directories.
#pragma once

#include "opcat/base/directories.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/image/manifest.hpp"
#include "opcat/image/name.hpp"
#include "opcat/image/options.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::image {

// Chooses by an image's labels which of its paths to keep ("/configs"), each with everything below it. If
// none, the layers are not fetched. May be called from any thread.
using ChoosePaths = std::function<std::vector<std::string>(const Labels&)>;

struct PullRequest {
    Name name;
    ChoosePaths choose_paths; // not given: everything
    // File names that are looked for in all of the image, if something of it is kept.
    std::vector<std::string> look_for = {};
};

// How far an image is.
struct PullProgress {
    size_t layers = 0;
    size_t layers_done = 0;
    uint64_t bytes = 0; // of the layers as they are packed
    uint64_t bytes_total = 0;
    uint64_t bytes_reused = 0; // of `bytes`: from the cache, or fetched for another image of the same pull
    bool done = false;
};

// Called after every change with the index of the request; from any thread, one call at a time.
using OnProgress = std::function<void(size_t image, const PullProgress& progress)>;

// A file, directory or link of an image.
struct FoundFile {
    std::string path; // normalised
    bool is_regular = false;
};

// The files of an image, in a private temporary directory that is removed with the object.
struct UnpackedImage {
    Name name;
    std::string digest; // of the manifest of the platform; empty for docker-archive
    Labels labels;
    Annotations annotations;      // of the manifest
    std::vector<FoundFile> found; // of PullRequest::look_for
    std::vector<std::string> warnings;
    std::unique_ptr<TemporaryDirectory> directory;

    // The local path of a path of the image. Files there are safe to walk: links only lead to places in the
    // image. The path need not exist.
    std::filesystem::path path(std::string_view in_image) const;
};

// Keeps connections, logins and open files between pulls. Thread-safe.
class Puller {
public:
    explicit Puller(Options options);
    ~Puller();
    Puller(const Puller&) = delete;
    Puller& operator=(const Puller&) = delete;

    // All images, in the order of the requests; images and their layers are fetched concurrently as `pool`
    // allows. Throws Error, which names the image, and the layer if it concerns one, if any of them cannot be
    // pulled.
    std::vector<UnpackedImage> pull(std::span<const PullRequest> requests, ThreadPool& pool,
                                    const OnProgress& on_progress = {});

    // The current digest of an image in a registry, of its manifest or index: one request, none for a name
    // with a digest, and more if its signatures must be verified. Throws Error like `pull`.
    std::string digest(const Name& name);
    // Returns true if the name of an image in a registry still resolves to this digest, of one platform or of
    // the index. Throws Error like `pull`.
    bool stands_for(const Name& name, std::string_view digest);

    // Returns true if pulling it needs no request: an image that is named by its digest, and in the cache,
    // and whose signatures need not be verified. Throws Error if the policy of signatures cannot be read.
    bool is_cached(const Name& name);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat::image
