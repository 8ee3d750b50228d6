#include "opcat/mirror/catalog_items.hpp"

#include "opcat/base/digest.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/image/referrers.hpp"
#include "opcat/mirror/catalog_image.hpp"
#include "opcat/mirror/plan.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <unordered_set>
#include <utility>

namespace opcat {

void CatalogItems::add(const CatalogToMirror& wanted, const Catalog& content, ThreadPool& pool) {
    const std::string text = wanted.name.to_string();
    for (const MirrorItem& other : items_)
        if (other.name == wanted.name)
            throw RequestError(fmt::format("two catalogs would both be {} in the mirror", text),
                               "mirror them below different prefixes");
    std::optional<image::Name> from;
    if (!wanted.reference.empty()) from = required(image::Name::parse(wanted.reference));
    MirrorItem item;
    item.from = from ? wanted.reference : "the catalog";
    item.name = wanted.name;
    item.annotations = {{kind_annotation, catalog_kind}, {catalogs_annotation, text}};
    item.catalogs = {text};
    item.source = wanted.source;
    if (from) item.described_by = [&stores = stores_, from = *from] { return stores.reader(from); };
    item.set_platforms(wanted.platforms);
    if (wanted.as_it_is)
        item.reader = item.described_by;
    else
        build(item, content, from, wanted.platforms, pool);
    items_.push_back(std::move(item));
    if (keeps_contents_) contents_.push_back({content, from, wanted.platforms});
}

// Makes the item's image from the content, on top of its base.
void CatalogItems::build(MirrorItem& item, const Catalog& content, const std::optional<image::Name>& base,
                         const Platforms& platforms, ThreadPool& pool) {
    const std::filesystem::path& temporary = stores_.options().temporary;
    auto& directory = directories_.emplace_back(std::make_unique<TemporaryDirectory>(temporary));
    const std::filesystem::path root = directory->path() / "configs";
    write_catalog_directory(content, Format::json, root, pool);
    item.reader = [&stores = stores_, base, root, platforms] {
        return build_catalog_image(root, base ? stores.reader(*base) : nullptr, platforms,
                                   stores.options().temporary);
    };
    item.set_platforms({}); // it has no others
    item.is_rebuilt = base.has_value();
    // The tag of a digest belongs to the image with that digest.
    if (image::digest_of_tag(item.name.tag))
        item.name.tag = image::tag_of_digest("sha256:" + sha256_hex(item.reader()->manifest()));
}

IncompleteCatalogs CatalogItems::drop_incomplete(const std::set<std::string>& failed, ThreadPool& pool) {
    IncompleteCatalogs lost;
    for (size_t i = items_.size(); i-- > 0;) {
        const std::unordered_set<const Bundle*> gone = bundles_that_need(failed, contents_[i].catalog);
        if (gone.empty()) continue;
        const std::string name = items_[i].name.to_string();
        RestOfCatalog left = rest_of(contents_[i].catalog, gone, pool);
        if (!left.why_not.empty()) {
            lost.left_out.push_back({name, std::move(left.why_not)});
            items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
            continue;
        }
        build(items_[i], left.rest.catalog, contents_[i].base, contents_[i].platforms, pool);
        lost.reduced.push_back({name, std::move(left.rest.report)});
    }
    return lost;
}

void CatalogItems::note_missing(const MissingImages& images, bool bundles_dropped) {
    std::set<std::string> of_no_catalog;
    for (const auto& [needed_by, missing] : images)
        if (!names_catalog(needed_by)) of_no_catalog.insert(missing.others.begin(), missing.others.end());
    for (MirrorItem& item : items_) {
        if (const auto found = images.find(item.name.to_string()); found != images.end()) {
            std::set<std::string> lacking = found->second.others;
            const std::set<std::string>& of_bundles = found->second.of_bundles;
            if (bundles_dropped && !of_bundles.empty())
                item.annotations[dropped_annotation] = list_of_images(of_bundles);
            else
                lacking.insert(of_bundles.begin(), of_bundles.end());
            if (!lacking.empty()) item.annotations[missing_annotation] = list_of_images(lacking);
        }
        if (!of_no_catalog.empty())
            item.annotations[missing_others_annotation] = list_of_images(of_no_catalog);
    }
}

std::string list_of_images(const std::set<std::string>& images) {
    return nlohmann::json(images).dump();
}

} // namespace opcat
