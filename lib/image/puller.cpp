#include "opcat/image/puller.hpp"

#include "opcat/base/error.hpp"
#include "opcat/image/blob_store.hpp"
#include "opcat/image/local.hpp"
#include "opcat/image/registries_conf.hpp"
#include "opcat/image/registry.hpp"
#include "opcat/image/unpack.hpp"
#include "opcat/image/verification.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

namespace opcat::image {
namespace {

// Executes a function for an image; errors name the image.
template <class Action>
auto for_image(const Name& name, const Action& action) {
    try {
        return action();
    } catch (const Error& error) {
        throw error.with_message(fmt::format("cannot {} {}: {}",
                                             name.transport == Transport::registry ? "pull" : "read",
                                             name.text, error.what()));
    }
}

// One image on its way.
struct Job {
    const PullRequest& request;
    std::unique_ptr<Source> source{};
    std::vector<std::string> wanted{};
    std::vector<LayerFile> layers{};
    std::atomic<size_t> layers_left{0};
    std::vector<uint64_t> layer_bytes{}; // that are there
    PullProgress progress{};
    UnpackedImage image{};

    explicit Job(const PullRequest& r) : request(r) {}
};

} // namespace

std::filesystem::path UnpackedImage::path(std::string_view in_image) const {
    return directory->path() / "root" / path_in_image(in_image);
}

struct Puller::State {
    const Options options;
    RegistryClient client;
    Verification verification{client};

    // Made when a registry is first needed: a broken configuration does not affect images in files.
    struct Registries {
        RegistriesConf conf;
        std::unique_ptr<BlobStore> store;
    };
    std::mutex mutex;
    std::shared_ptr<const TemporaryDirectory> temporary_made; // of all images
    std::optional<Registries> registries_made;

    explicit State(Options given) : options(std::move(given)), client(options) {}

    Registries& registries() {
        const std::lock_guard lock(mutex);
        if (registries_made) return *registries_made;
        Registries made{RegistriesConf::load(options.registries_conf), nullptr};
        made.store =
            std::make_unique<BlobStore>(options.cache ? *options.cache : temporary()->path() / "blobs");
        return registries_made.emplace(std::move(made));
    }

    // With the mutex.
    std::shared_ptr<const TemporaryDirectory> temporary() {
        if (!temporary_made) temporary_made = std::make_shared<const TemporaryDirectory>(options.temporary);
        return temporary_made;
    }
    std::unique_ptr<TemporaryDirectory> directory_of_image() {
        const std::lock_guard lock(mutex);
        return std::make_unique<TemporaryDirectory>(temporary());
    }

    std::unique_ptr<Source> open(const Name& name) {
        const CheckManifest check = verification.of(name);
        switch (name.transport) {
        case Transport::oci_layout:
            return open_oci_layout(name.path, name.tag, options.platform);
        case Transport::oci_archive:
            return open_oci_archive(name.path, name.tag, options);
        case Transport::docker_archive:
            return open_docker_archive(name.path, name.tag, options);
        case Transport::registry:
            break;
        }
        Registries& r = registries();
        return open_in_registry(client, *r.store, r.conf.endpoints(*name.spec), options.platform, check);
    }

    void prepare(Job& job) {
        job.source = open(job.request.name);
        const Contents& contents = job.source->contents();
        job.image.name = job.request.name;
        job.image.digest = contents.digest;
        job.image.labels = contents.config.labels;
        job.image.annotations = contents.annotations;
        if (!contents.warning.empty()) job.image.warnings.push_back(contents.warning);
        job.image.directory = directory_of_image();
        job.wanted = {""};
        if (job.request.choose_paths) job.wanted = job.request.choose_paths(job.image.labels);
        for (std::string& path : job.wanted) path = path_in_image(path);
        const size_t count = job.wanted.empty() ? 0 : contents.layers.size();
        for (size_t i = 0; i < count; ++i) {
            const Descriptor& layer = contents.layers[i];
            std::string name = fmt::format("layer {} of {}", i + 1, count);
            if (!layer.digest.empty()) name += fmt::format(" ({})", layer.digest.substr(0, 19));
            if (layer.size > options.max_unpacked_size - job.progress.bytes_total)
                throw Error(fmt::format("{}: the layers have more than the limit of {} bytes", name,
                                        options.max_unpacked_size));
            job.progress.bytes_total += layer.size;
            job.layers.push_back({{}, std::move(name)});
        }
        job.progress.layers = count;
        job.layers_left = count;
        job.layer_bytes.resize(count);
        if (job.request.name.transport == Transport::registry && options.cache)
            name_cached_image(*options.cache, job.image.name.text, contents);
    }

    void fetch_layer(Job& job, size_t index, const std::function<void(uint64_t)>& on_bytes) {
        LayerFile& layer = job.layers[index];
        try {
            layer.path = job.source->layer(index, on_bytes);
        } catch (const Error& error) {
            throw error.with_message(fmt::format("{}: {}", layer.name, error.what()));
        }
    }

    void finish(Job& job) const {
        unpack(job.layers, job.wanted, options.max_unpacked_size, job.image.directory->path());
        if (!job.request.look_for.empty())
            job.image.found = find_files(job.layers, job.request.look_for, options.max_unpacked_size);
        job.source.reset(); // an archive's files are no longer needed
    }
};

Puller::Puller(Options options) : state_(std::make_unique<State>(std::move(options))) {}
Puller::~Puller() = default;

std::vector<UnpackedImage> Puller::pull(std::span<const PullRequest> requests, ThreadPool& pool,
                                        const OnProgress& on_progress) {
    std::vector<std::unique_ptr<Job>> jobs;
    for (const PullRequest& request : requests) jobs.push_back(std::make_unique<Job>(request));
    std::mutex progress_mutex;
    const auto update = [&](size_t image, const auto& change) {
        if (!on_progress) return;
        const std::lock_guard lock(progress_mutex);
        change(jobs[image]->progress);
        on_progress(image, jobs[image]->progress);
    };
    const auto finish = [&](size_t image) {
        state_->finish(*jobs[image]);
        update(image, [](PullProgress& progress) { progress.done = true; });
    };

    pool.for_each(jobs.size(), [&](size_t image) {
        Job& job = *jobs[image];
        for_image(job.request.name, [&] {
            state_->prepare(job);
            update(image, [](PullProgress&) {});
            if (job.layers.empty()) finish(image);
        });
    });

    // All layers of all images, as equals; the last one of an image takes the image on.
    std::vector<std::pair<size_t, size_t>> layers;
    for (size_t image = 0; image < jobs.size(); ++image)
        for (size_t layer = 0; layer < jobs[image]->layers.size(); ++layer) layers.emplace_back(image, layer);
    pool.for_each(layers.size(), [&](size_t task) {
        const auto [image, layer] = layers[task];
        Job& job = *jobs[image];
        for_image(job.request.name, [&, image = image, layer = layer] {
            state_->fetch_layer(job, layer, [&](uint64_t bytes) {
                update(image, [&](PullProgress& progress) {
                    progress.bytes += bytes - job.layer_bytes[layer];
                    job.layer_bytes[layer] = bytes;
                });
            });
            const uint64_t size = job.source->contents().layers[layer].size;
            update(image, [&, layer = layer](PullProgress& progress) {
                const uint64_t reused = size - std::min(size, job.layer_bytes[layer]);
                progress.bytes += reused;
                progress.bytes_reused += reused;
                ++progress.layers_done;
            });
            if (--job.layers_left == 0) finish(image);
        });
    });

    std::vector<UnpackedImage> images;
    images.reserve(jobs.size());
    for (const auto& job : jobs) images.push_back(std::move(job->image));
    return images;
}

std::string Puller::digest(const Name& name) {
    return for_image(name, [&] {
        std::vector<Endpoint> endpoints = state_->registries().conf.endpoints(*name.spec);
        const std::string digest = digest_in_registry(state_->client, endpoints);
        // A signature may be of this tag only, which a pull by the digest would not see. What has the digest
        // is verified: the tag may be another image's by now.
        if (const CheckManifest check = state_->verification.of(name)) {
            for (Endpoint& endpoint : endpoints)
                endpoint.spec = required(PullSpec::parse(fmt::format("{}@{}", endpoint.spec.name(), digest)));
            open_in_registry(state_->client, *state_->registries().store, endpoints, state_->options.platform,
                             check);
        }
        return digest;
    });
}

bool Puller::stands_for(const Name& name, std::string_view digest) {
    return for_image(name, [&] {
        return image::stands_for(state_->client, state_->registries().conf.endpoints(*name.spec), digest);
    });
}

bool Puller::is_cached(const Name& name) {
    if (name.transport != Transport::registry || !state_->options.cache) return false;
    const std::string& digest = name.spec->digest();
    if (state_->verification.of(name)) return false; // its signatures are not in the cache
    return is_sha256(digest) && is_kept(*state_->registries().store, digest, state_->options.platform);
}

} // namespace opcat::image
