#include "shard_store.hpp"

#include "catalog_options.hpp"
#include "opcat/base/error.hpp"
#include "opcat/image/file_image.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// The labels of an image with the output of a shard; not set if items are missing.
constexpr const char* run_label = "opcat.shard.run";

image::Name image_of(const std::string& place, unsigned index) {
    const image::Name name = required(image::Name::parse(place));
    if (!name.spec || !name.spec->digest().empty())
        throw RequestError(fmt::format("{} cannot hold the outputs of shards", place),
                           "name a directory, or an image in a registry without a digest");
    const bool has_tag = !name.spec->tag().empty();
    return required(image::Name::parse(fmt::format("{}{}-{}", place, has_tag ? "" : ":shard", index)));
}

} // namespace

void require_place(const std::string& place) {
    image_of(place, 0);
}

namespace {

std::string identity(const RunOfShards& run, const Shard& shard) {
    return fmt::format("{} {} {} {}", run.version, run.digest, shard.to_string(), run.content);
}

std::vector<std::string> everything(const image::Labels&) {
    return {"/"};
}

// The index among an image's files.
fs::path index_in(const image::UnpackedImage& image) {
    std::vector<fs::path> found;
    try {
        found = find_parts(image.path("/"));
    } catch (const Error&) { // NOLINT(bugprone-empty-catch): it would name a temporary directory
    }
    if (found.size() != 1)
        throw Error(fmt::format("{} does not have the output of one shard", image.name.text),
                    "name the image that --shard-output has named");
    return found.front();
}

// All shards of a run: the first one says how many there are.
void read_images(const std::string& place, const ImageFlags& flags, StoredParts& all, Session& session) {
    image::ImageStores stores(image_options(flags, session));
    auto first = image::pull_files(stores, image_of(place, 0), everything, session.pool());
    if (!first)
        throw RequestError(fmt::format("there is no output of shard 0: {}", image_of(place, 0).text),
                           "name the image that --shard-output has named; run the shard again if it failed");
    all.parts.push_back(read_part(index_in(*first)));
    all.images.push_back(*std::move(first));
    const unsigned count = all.parts.back().shard.count;
    std::vector<std::optional<image::UnpackedImage>> others(count);
    session.pool().for_each(count - 1, [&](size_t i) {
        const auto index = static_cast<unsigned>(i + 1);
        others[index] = image::pull_files(stores, image_of(place, index), everything, session.pool());
    });
    for (auto& other : others) {
        if (!other) continue; // the first one; one that is missing is named by `require_whole_run`
        all.parts.push_back(read_part(index_in(*other)));
        all.images.push_back(*std::move(other));
    }
}

} // namespace

bool is_stored(const std::string& place, const Shard& shard, const RunOfShards& run, const ImageFlags& flags,
               Session& session) {
    if (!names_image(place, session.manner())) return has_part(place, shard, run);
    image::ImageStores stores(image_options(flags, session));
    const auto there = image::pull_files(
        stores, image_of(place, shard.index), [](const image::Labels&) { return std::vector<std::string>(); },
        session.pool());
    if (!there) return false;
    const auto label = there->labels.find(run_label);
    return label != there->labels.end() && label->second == identity(run, shard);
}

void store(const std::string& place, const fs::path& directory, const Shard& shard, const RunOfShards& run,
           bool complete, const ImageFlags& flags, Session& session) {
    if (!names_image(place, session.manner())) return;
    image::ImageStores stores(image_options(flags, session));
    image::LayerEntries files;
    image::add_directory(files, "", directory);
    image::Labels labels;
    if (complete) labels[run_label] = identity(run, shard);
    image::push_files(stores, image_of(place, shard.index), std::move(files), std::move(labels),
                      session.pool());
}

StoredParts read_stored(const std::vector<std::string>& places, const ImageFlags& flags, Session& session) {
    StoredParts all;
    for (const std::string& place : places) {
        if (names_image(place, session.manner())) {
            read_images(place, flags, all, session);
            continue;
        }
        const std::vector<fs::path> files = find_parts(place);
        std::vector<Part> parts(files.size());
        session.pool().for_each(files.size(), [&](size_t i) { parts[i] = read_part(files[i]); });
        std::move(parts.begin(), parts.end(), std::back_inserter(all.parts));
    }
    return all;
}

} // namespace opcat
