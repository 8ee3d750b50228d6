#include "opcat/mirror/planned_items.hpp"

#include "opcat/base/error.hpp"
#include "opcat/image/image_parts.hpp"

#include <fmt/core.h>

#include <memory>
#include <set>
#include <utility>

namespace opcat {
namespace {

// Clusters get the image from the mirror under each of its names: the policy of signatures has to accept it
// as each of them.
std::unique_ptr<image::ImageReader> reader_of(const MirrorImage& image, image::ImageStores& stores) {
    std::unique_ptr<image::ImageReader> first;
    for (const PullSpec& spec : image.sources) {
        auto reader = stores.reader(required(image::Name::parse(spec.to_string())));
        if (!first) {
            first = std::move(reader); // verified when it is read
            continue;
        }
        if (!reader->verifies()) continue;
        try {
            image::read_parts(*reader, reader->manifest(), parsed_platforms(image.platforms));
        } catch (const Error& error) {
            throw error.with_message(fmt::format("it is also called {}: {}", spec.to_string(), error.what()));
        }
    }
    return first;
}

} // namespace

std::vector<MirrorItem> planned_items(const MirrorPlan& plan, image::ImageStores& stores,
                                      std::span<const image::IndexEntry> before,
                                      const std::map<std::string, SignatureData>& signatures) {
    std::map<std::string, const image::IndexEntry*> there;
    for (const image::IndexEntry& entry : before) there[annotation(entry, image::name_annotation)] = &entry;
    // With what earlier runs noted: an image may be of several catalogs that are mirrored one by one.
    const auto joined = [&](const MirrorImage& image, const char* name, std::set<std::string> words) {
        if (const auto known = there.find(image.target.to_string()); known != there.end())
            words.merge(word_set(annotation(*known->second, name)));
        return join_words(words);
    };
    std::vector<MirrorItem> items;
    for (const MirrorImage& image : plan.images()) {
        std::set<std::string> sources;
        for (const PullSpec& spec : image.sources) sources.insert(spec.to_string());
        MirrorItem item;
        item.from = required(image::Name::parse(image.sources.front().to_string())).text;
        item.name = image.target;
        item.reader = [&stores, image] { return reader_of(image, stores); };
        item.annotations = {{sources_annotation, joined(image, sources_annotation, sources)},
                            {catalogs_annotation, joined(image, catalogs_annotation, image.catalogs)}};
        item.catalogs = image.catalogs;
        item.bundles = image.bundles;
        item.set_platforms(image.platforms);
        for (const std::string& home : sources)
            if (const auto signed_release = signatures.find(home); signed_release != signatures.end())
                item.annotations[signatures_annotation] = to_words(signed_release->second);
        items.push_back(std::move(item));
    }
    return items;
}

} // namespace opcat
