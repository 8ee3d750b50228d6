// Images, whatever they lie in, as directories.
#pragma once

#include "opcat/base/file.hpp"
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

// Chooses by an image's labels which of its paths to keep ("/configs"); each stands for all below it. None:
// the layers are not even fetched. May be called from any thread.
using ChoosePaths = std::function<std::vector<std::string>(const Labels&)>;

struct PullRequest {
    Name name;
    ChoosePaths choose_paths; // not given: everything is kept
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

// Called whenever something has changed, with the index of the request; from any thread, never from two at
// once.
using OnProgress = std::function<void(size_t image, const PullProgress& progress)>;

// The files of an image, in a private temporary directory that goes with the object.
struct UnpackedImage {
    Name name;
    std::string digest; // of the manifest of the platform; empty for docker-archive
    Labels labels;
    std::vector<std::string> warnings;
    std::unique_ptr<TemporaryDirectory> directory;

    // Where a path of the image is on this machine. Files there are safe to walk: links lead to places in the
    // image only. Nothing is said about whether it exists.
    std::filesystem::path path(std::string_view in_image) const;
};

// Keeps connections, logins and open files from one pull to the next. May be used by several threads.
class Puller {
public:
    explicit Puller(Options options);
    ~Puller();
    Puller(const Puller&) = delete;
    Puller& operator=(const Puller&) = delete;

    // All images, in the order of the requests; images and their layers are fetched side by side as `pool`
    // allows. Throws Error, which names the image, and the layer if it is about one, when any of them cannot
    // be had.
    std::vector<UnpackedImage> pull(std::span<const PullRequest> requests, ThreadPool& pool,
                                    const OnProgress& on_progress = {});

    // What the names of images in registries stand for now: digests of their manifests or indexes, in the
    // order of the names; a request for each, none for a name with a digest. Throws Error like `pull`.
    std::vector<std::string> digests(std::span<const Name> names, ThreadPool& pool);
    // Whether the name of an image in a registry still stands for the content of this digest, be it that of
    // one platform or of all. Throws Error like `pull`.
    bool stands_for(const Name& name, std::string_view digest);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace opcat::image
