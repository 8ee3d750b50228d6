// The catalogs of a mirror, as they are at home or made here from their content.
#pragma once

#include "opcat/base/directories.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/image/image_stores.hpp"
#include "opcat/mirror/incomplete.hpp"
#include "opcat/mirror/item.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat {

struct CatalogToMirror {
    MirrorName name;
    std::string reference;                     // of its image; empty: it has none
    bool as_it_is = false;                     // that image, else one that is made on top of it
    Platforms platforms = {};                  // of all its images
    std::optional<SourceTemplate> source = {}; // what its CatalogSource is made of
};

// Images that could not be copied.
struct LackingImages {
    std::set<std::string> of_bundles;
    std::set<std::string> others; // attachments, and what could not be read at all
};
using MissingImages = std::map<std::string, LackingImages>;      // by the catalog that needs them
std::string list_of_images(const std::set<std::string>& images); // for an annotation

class CatalogItems {
public:
    // The stores must outlive the items.
    explicit CatalogItems(image::ImageStores& stores) : stores_(stores) {}

    // Before `add`, for `drop_incomplete`.
    void keep_contents() { keeps_contents_ = true; }
    // Throws RequestError if another catalog has this name, and Error.
    void add(const CatalogToMirror& wanted, const Catalog& content, ThreadPool& pool);
    // What a first step has left, in place of `add`.
    void take(std::vector<MirrorItem> stored) { items_ = std::move(stored); }

    const std::vector<MirrorItem>& items() const { return items_; }

    // Takes out the bundles that need one of these images (pull specs). A catalog of which nothing is left is
    // no item any more.
    IncompleteCatalogs drop_incomplete(const std::set<std::string>& failed, ThreadPool& pool);
    // Notes in the annotations of catalogs which of their images are not in the mirror, and which of those
    // that no catalog needs.
    void note_missing(const MissingImages& images, bool bundles_dropped);

private:
    // A catalog that may lose bundles.
    struct Content {
        Catalog catalog;
        std::optional<image::Name> base;
        Platforms platforms;
    };
    void build(MirrorItem& item, const Catalog& content, const std::optional<image::Name>& base,
               const Platforms& platforms, ThreadPool& pool);

    image::ImageStores& stores_;
    bool keeps_contents_ = false;
    std::vector<MirrorItem> items_;
    std::vector<Content> contents_; // of the items, if they are kept
    std::vector<std::unique_ptr<TemporaryDirectory>> directories_;
};

} // namespace opcat
