#include "opcat/image/copier.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/text.hpp"
#include "opcat/image/image_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace opcat::image {

namespace {

// One image on its way.
struct Image {
    const CopyJob& job;
    std::unique_ptr<ImageReader> reader{};
    std::unique_ptr<ImageWriter> writer{};
    std::string top{};                    // the manifest or index that gets the name
    std::vector<std::string> manifests{}; // its parts, those that other parts refer to first
    std::vector<Descriptor> blobs{};      // each once
    bool is_absent = false;               // the target has its manifest under no name
    bool is_named = false;                // the target has its manifest under its name already
    std::atomic<size_t> blobs_left{0};
    std::atomic<bool> over{false}; // done or failed
    CopyResult result{};

    explicit Image(const CopyJob& j) : job(j) {
        result.from = j.from;
        result.to = j.to;
    }
};

// The blobs that threads are transferring: another thread that needs the same one for another repository
// waits, because it may then be copied without a transfer.
class Turns {
public:
    void begin(const std::string& digest) {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return !busy_.contains(digest); });
        busy_.insert(digest);
    }
    void end(const std::string& digest) {
        {
            const std::lock_guard lock(mutex_);
            busy_.erase(digest);
        }
        done_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable done_;
    std::set<std::string> busy_;
};

class Copy {
public:
    Copy(std::span<const CopyJob> jobs, const CopyOptions& options, const OnCopyProgress& on_progress)
        : options_(options), on_progress_(on_progress) {
        for (const CopyJob& job : jobs) images_.push_back(std::make_unique<Image>(job));
        progress_.images = jobs.size();
    }

    std::vector<CopyResult> run(ThreadPool& pool) {
        pool.for_each(images_.size(), [&](size_t i) { attempt(i, [&] { prepare(i); }); });
        announce();
        pool.for_each(images_.size(), [&](size_t i) {
            if (images_[i]->blobs.empty()) attempt(i, [&] { complete(i); });
        });
        const std::vector<Task> tasks = order();
        pool.for_each(tasks.size(), [&](size_t i) { attempt(tasks[i].image, [&] { copy_blob(tasks[i]); }); });
        std::vector<CopyResult> results;
        for (const auto& image : images_) results.push_back(std::move(image->result));
        return results;
    }

private:
    struct Task {
        size_t image = 0;
        size_t blob = 0;
        bool first = true; // of this digest
    };

    template <class Action>
    void attempt(size_t i, const Action& action) {
        Image& image = *images_[i];
        if (image.over || (options_.stop_at_failure && failed_)) return;
        try {
            action();
            return;
        } catch (const Error& error) {
            fail(i, error);
        } catch (const std::system_error& error) {
            fail(i, Error(error.what())); // of the file system
        }
    }

    void fail(size_t i, const Error& error) {
        Image& image = *images_[i];
        if (image.over.exchange(true)) return;
        failed_ = true;
        image.result.failure = error.with_message(
            fmt::format("cannot copy {} to {}: {}", image.job.from, image.job.to, error.what()));
        finish(i);
    }

    void finish(size_t i) {
        const std::lock_guard lock(progress_mutex_);
        ++progress_.images_done;
        if (on_progress_) on_progress_(progress_, &images_[i]->result);
    }

    template <class Change>
    void update(const Change& change) {
        const std::lock_guard lock(progress_mutex_);
        change(progress_);
        if (on_progress_) on_progress_(progress_, nullptr);
    }

    void prepare(size_t i) {
        Image& image = *images_[i];
        image.reader = image.job.reader();
        image.writer = image.job.writer();
        image.is_absent = image.job.is_new && !chooses_one(image) && target_lacks(image);
        const auto current = image.is_absent ? std::nullopt : image.writer->current_digest();
        if (options_.dry_run && !image.writer->may_look())
            throw Error("the registry does not say whether the image is there",
                        "log in with an account that may pull from there, too");
        if (const auto named = image.reader->digest(); named && current == named && !chooses_one(image) &&
                                                       !may_lack_images(image) && !image.reader->verifies() &&
                                                       (!image.job.all_blobs || !has_top(image))) {
            image.result.digest = *named;
            return succeed(i);
        }
        if (image.top.empty()) image.top = image.reader->manifest();
        choose_platform(image);
        image.result.digest = "sha256:" + sha256_hex(image.top);
        image.is_named = current == image.result.digest && has_platforms(image);
        const bool is_there = image.is_named && !image.job.all_blobs;
        if (is_there && !image.reader->verifies()) return succeed(i);
        ImageParts parts = read_parts(*image.reader, image.top, image.job.platforms);
        if (is_there) return succeed(i);
        image.result.changed = true;
        image.manifests = std::move(parts.manifests);
        image.blobs = std::move(parts.blobs);
        image.result.blobs = image.blobs.size();
        image.blobs_left = image.blobs.size();
        for (const Descriptor& blob : image.blobs) image.result.bytes += blob.size;
    }

    void announce() const {
        if (!options_.before_change || options_.dry_run || (options_.stop_at_failure && failed_)) return;
        std::vector<PlannedCopy> planned;
        for (size_t i = 0; i < images_.size(); ++i)
            if (!images_[i]->over) planned.push_back({i, images_[i]->result.digest, images_[i]->is_absent});
        if (!planned.empty()) options_.before_change(planned);
    }

    bool chooses_one(const Image& image) const {
        return options_.platform.wanted || !image.writer->takes_indexes();
    }

    // Leaves in `top` the one image of an index that is wanted, if only one is.
    void choose_platform(Image& image) {
        if (!chooses_one(image)) return;
        const auto get = [&](const Descriptor& wanted) { return image.reader->manifest(wanted); };
        const Manifest chosen = choose_image(image.top, options_.platform, get, image.result.warning);
        if (!options_.platform.wanted) return;
        TextSink config(chosen.config);
        image.reader->blob(chosen.config, config);
        check_platform(parse_config(config.text), *options_.platform.wanted);
    }

    static bool may_lack_images(const Image& image) {
        return image.job.may_lack_images || !image.job.platforms.empty();
    }

    // Of an index that the target has: whether it has the wanted images, too.
    static bool has_platforms(const Image& image) {
        if (!may_lack_images(image)) return true;
        const auto document = parse_manifest(image.top);
        const auto* const index = std::get_if<Index>(&document);
        if (!index) return true;
        const auto wanted = entries_for(*index, image.job.platforms);
        return std::all_of(wanted.begin(), wanted.end(), [&](const IndexEntry& entry) {
            return image.writer->has_manifest(entry.manifest);
        });
    }

    // Each blob once, and then those that were copied before for another image.
    std::vector<Task> order() {
        std::vector<Task> tasks;
        std::vector<Task> again;
        std::set<std::string> seen;
        for (size_t i = 0; i < images_.size(); ++i) {
            if (images_[i]->over) continue;
            for (size_t b = 0; b < images_[i]->blobs.size(); ++b) {
                const Descriptor& blob = images_[i]->blobs[b];
                const bool first = seen.insert(blob.digest).second;
                (first ? tasks : again).push_back({i, b, first});
                if (first) progress_.bytes += blob.size;
            }
        }
        tasks.insert(tasks.end(), again.begin(), again.end());
        return tasks;
    }

    void copy_blob(const Task& task) {
        Image& image = *images_[task.image];
        const Descriptor& blob = image.blobs[task.blob];
        turns_.begin(blob.digest);
        const std::unique_ptr<Turns, std::function<void(Turns*)>> turn(
            &turns_, [&](Turns* turns) { turns->end(blob.digest); });
        if (options_.dry_run && !task.first) return count_down(task.image);
        if (!image.job.damaged.contains(blob.digest) && target_has(image, blob)) {
            if (task.first) update([&](CopyProgress& progress) { progress.bytes -= blob.size; });
            return count_down(task.image);
        }
        if (!task.first) update([&](CopyProgress& progress) { progress.bytes += blob.size; });
        uint64_t before = 0;
        const auto on_bytes = [&](uint64_t bytes) {
            update([&](CopyProgress& progress) { progress.bytes_sent += bytes - before; });
            before = bytes;
        };
        try {
            if (options_.dry_run)
                image.reader->require_blob(blob);
            else
                image.writer->put_blob(blob, on_bytes,
                                       [&](BlobSink& sink) { image.reader->blob(blob, sink); });
        } catch (const Error& error) {
            throw error.with_message(fmt::format("{}: {}", blob.digest, error.what()));
        }
        {
            const std::lock_guard lock(progress_mutex_);
            image.result.bytes_sent += blob.size;
        }
        count_down(task.image);
    }

    bool target_has(const Image& image, const Descriptor& blob) const {
        const std::vector<PullSpec> from = image.reader->repositories(blob);
        return options_.dry_run ? image.writer->has_blob(blob, from) : image.writer->obtain_blob(blob, from);
    }

    void count_down(size_t i) {
        if (--images_[i]->blobs_left == 0) complete(i);
    }

    // All blobs are there.
    void complete(size_t i) {
        Image& image = *images_[i];
        const bool is_asked_for = image.job.damaged.contains(image.result.digest);
        if (image.is_named && !is_asked_for && image.result.bytes_sent == 0 && has_manifests(image)) {
            image.result.changed = false;
            return succeed(i);
        }
        if (!options_.dry_run) {
            for (const std::string& manifest : image.manifests) image.writer->put_manifest(manifest);
            image.writer->put_image(image.top);
        }
        succeed(i);
    }

    // Reads the manifest; false if the source does not have it (any more).
    static bool has_top(Image& image) {
        try {
            image.top = image.reader->manifest();
            return true;
        } catch (const Error& error) {
            if (!error.absent()) throw;
            return false;
        }
    }

    static bool target_lacks(Image& image) {
        image.top = image.reader->manifest();
        return image.writer->lacks_manifest("sha256:" + sha256_hex(image.top));
    }

    static bool has_manifests(const Image& image) {
        return std::all_of(image.manifests.begin(), image.manifests.end(), [&](const std::string& bytes) {
            return image.writer->has_manifest({"sha256:" + sha256_hex(bytes), bytes.size()});
        });
    }

    void succeed(size_t i) {
        Image& image = *images_[i];
        if (image.over.exchange(true)) return;
        image.result.done = true;
        image.reader.reset(); // an archive's files are no longer needed
        image.writer.reset();
        finish(i);
    }

    const CopyOptions& options_;
    const OnCopyProgress& on_progress_;
    std::vector<std::unique_ptr<Image>> images_;
    std::atomic<bool> failed_{false};
    Turns turns_;
    std::mutex progress_mutex_;
    CopyProgress progress_;
};

} // namespace

std::vector<CopyResult> copy_images(std::span<const CopyJob> jobs, const CopyOptions& options,
                                    ThreadPool& pool, const OnCopyProgress& on_progress) {
    return Copy(jobs, options, on_progress).run(pool);
}

} // namespace opcat::image
