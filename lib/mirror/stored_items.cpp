#include "opcat/mirror/stored_items.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/image/layout_writer.hpp"
#include "opcat/image/local.hpp"
#include "opcat/mirror/plan.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace opcat {

namespace fs = std::filesystem;

namespace {

const char* const fill_again = "fill it again; or push the rest: --keep-going";

std::vector<std::string> images_in(const image::IndexEntry& entry, const char* name) {
    std::vector<std::string> images;
    const auto list = parse_shallow_json<nlohmann::json>(annotation(entry, name));
    if (list && list->is_array())
        for (const auto& image : *list)
            if (image.is_string()) images.push_back(image.get<std::string>());
    return images;
}

// Catalogs that images are there for, and that are not there themselves.
void add_missing_catalogs(StoredItems& stored, const fs::path& source) {
    std::set<std::string> wanted;
    for (const MirrorItem& image : stored.images) wanted.insert(image.catalogs.begin(), image.catalogs.end());
    for (const MirrorItem& catalog : stored.catalogs) wanted.erase(catalog.name.to_string());
    for (const std::string& catalog : wanted)
        if (names_catalog(catalog))
            stored.missing.push_back(
                {"the catalog " + catalog,
                 {},
                 catalog,
                 Error(
                     fmt::format("{} has images of the catalog {}, and not the catalog: the run that filled "
                                 "it did not end, or could not copy all images",
                                 source.string(), catalog),
                     fill_again)});
}

} // namespace

StoredItems stored_items(const std::vector<image::IndexEntry>& entries, const std::string& place,
                         const fs::path& source, const OpenStored& open, size_t most_parts) {
    StoredItems stored;
    std::set<std::string> missing_others; // each catalog of a run has the list
    const auto limited = [&](const std::string& text) {
        const MirrorName name = MirrorName::parse(text);
        return MirrorName{limited_path(name.repository, most_parts), name.tag};
    };
    for (const image::IndexEntry& entry : entries) {
        const std::string name = annotation(entry, image::name_annotation);
        std::set<std::string> needed_by;
        for (const std::string& catalog : word_set(annotation(entry, catalogs_annotation)))
            needed_by.insert(names_catalog(catalog) ? limited(catalog).to_string() : catalog);
        if (name.empty() || needed_by.empty()) continue; // of somebody else
        const bool is_catalog = annotation(entry, kind_annotation) == catalog_kind;
        const bool is_image = !is_catalog && annotation(entry, kind_annotation).empty();
        if (is_image && annotation(entry, sources_annotation).empty())
            throw Error(
                fmt::format("{} in {} lacks the annotation {}", name, source.string(), sources_annotation),
                "fill it again: opcat mirror CATALOG --to dir:DIR");
        MirrorItem item{fmt::format("{}:{}", place, name),
                        limited(name),
                        {},
                        entry.annotations,
                        std::move(needed_by),
                        {}};
        item.annotations.erase(image::name_annotation);
        item.set_platforms(word_set(annotation(entry, platforms_annotation)));
        item.reader = [open, manifest = entry.manifest] { return open(manifest); };
        if (is_catalog) item.described_by = item.reader;
        stored.lost_bundles = stored.lost_bundles || !images_in(entry, dropped_annotation).empty();
        for (const std::string& image : images_in(entry, missing_others_annotation))
            if (missing_others.insert(image).second)
                stored.missing.push_back(
                    {image,
                     {},
                     additional_images,
                     Error(fmt::format("{} lacks {}: the run that filled it could not copy it",
                                       source.string(), image),
                           fill_again)});
        for (const std::string& image : images_in(entry, missing_annotation))
            stored.missing.push_back(
                {image,
                 {},
                 item.name.to_string(),
                 Error(
                     fmt::format("{} lacks {}, which the catalog {} needs: the run that filled it could not "
                                 "copy it",
                                 source.string(), image, item.name.to_string()),
                     fill_again)});
        (is_catalog ? stored.catalogs : stored.images).push_back(std::move(item));
    }
    if (stored.catalogs.empty() && stored.images.empty())
        throw Error(fmt::format("there is no mirror in {}", source.string()),
                    "fill it with opcat mirror CATALOG --to dir:DIR");
    add_missing_catalogs(stored, source);
    return stored;
}

std::map<std::string, FormerUse> no_longer_needed(const fs::path& directory,
                                                  std::span<const MirrorItem* const> items,
                                                  bool knows_attachments) {
    std::set<std::string> wanted;
    std::set<std::string> of_this_run;
    for (const MirrorItem* const item : items) {
        wanted.insert(item->name.to_string());
        of_this_run.insert(item->catalogs.begin(), item->catalogs.end());
    }
    of_this_run = with_others_of_the_run(std::move(of_this_run));
    std::map<std::string, FormerUse> found;
    for (const image::IndexEntry& entry : image::list_oci_layout(directory)) {
        const std::string name = annotation(entry, image::name_annotation);
        if (wanted.contains(name)) continue;
        if (!knows_attachments && annotation(entry, kind_annotation) == attachment_kind) continue;
        FormerUse use;
        use.others = word_set(annotation(entry, catalogs_annotation));
        std::set<std::string> all = word_set(annotation(entry, former_annotation));
        all.insert(use.others.begin(), use.others.end());
        for (const std::string& catalog : all)
            if (of_this_run.contains(catalog)) use.own.insert(catalog);
        for (const std::string& catalog : use.own) use.others.erase(catalog);
        if (!use.own.empty()) found.emplace(name, std::move(use));
    }
    return found;
}

void retire_others(const fs::path& directory, std::span<const MirrorItem* const> items,
                   bool knows_attachments) {
    std::map<std::string, std::string> needed_by;
    std::map<std::string, std::string> former;
    for (const auto& [name, use] : no_longer_needed(directory, items, knows_attachments)) {
        needed_by[name] = join_words(use.others);
        former[name] = join_words(use.own);
    }
    if (needed_by.empty()) return;
    image::annotate_in_oci_layout(directory, former_annotation, former);
    image::annotate_in_oci_layout(directory, catalogs_annotation, needed_by);
}

} // namespace opcat
