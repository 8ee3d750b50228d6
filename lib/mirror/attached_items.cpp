#include "opcat/mirror/attached_items.hpp"

#include "opcat/image/referrers.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat {

AttachedItems find_attached(const std::vector<const MirrorItem*>& images, image::ImageStores& stores,
                            image::Attachments wanted, ThreadPool& pool) {
    std::vector<image::ImageStores::Attached> found(images.size());
    std::vector<std::optional<Error>> failures(images.size());
    pool.for_each(images.size(), [&](size_t i) {
        try {
            found[i] = stores.attachments(required(image::Name::parse(images[i]->from)), wanted);
        } catch (const Error& error) {
            failures[i] = error;
        }
    });
    AttachedItems result;
    std::map<MirrorName, MirrorItem> items;
    for (size_t i = 0; i < images.size(); ++i) {
        const MirrorItem& image = *images[i];
        if (failures[i])
            result.unknown.emplace_back(
                &image, failures[i]->with_message(fmt::format("cannot find what is attached to {}: {}",
                                                              image.from, failures[i]->what())));
        if (!found[i].is_complete) result.hidden.push_back(&image);
        for (const image::Name& name : found[i].names) {
            const PullSpec& spec = *name.spec;
            const MirrorName target{image.name.repository,
                                    spec.digest().empty() ? spec.tag() : image::tag_of_digest(spec.digest())};
            MirrorItem& item = items[target];
            if (item.from.empty()) { // else of the same image in another place
                item.from = name.text;
                item.name = target;
                item.reader = [&stores, name] { return stores.attachment(name); };
            }
            item.catalogs.insert(image.catalogs.begin(), image.catalogs.end());
        }
    }
    for (auto& [name, item] : items) {
        item.annotations = {{kind_annotation, attachment_kind},
                            {sources_annotation, ""},
                            {catalogs_annotation, join_words(item.catalogs)}};
        result.items.push_back(std::move(item));
    }
    return result;
}

} // namespace opcat
