// The pages of catalogs as files, for any web server or to be opened from the disk.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/pages/catalog_pages.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace opcat::pages {

// Throws Error if the directory exists and holds anything but the pages of an earlier run, as that wrote
// them.
void require_replaceable(const std::filesystem::path& directory);

struct WrittenPages {
    size_t files = 0;
    // Packages with too many versions: their pages lack the upgrades from each of them.
    std::vector<std::string_view> without_upgrades = {};
};

// The directory appears as a whole, or stays as it was. Throws Error, also as require_replaceable().
WrittenPages write_pages(std::span<const std::shared_ptr<const CatalogPages>> catalogs,
                         const std::filesystem::path& directory, ThreadPool& pool);

} // namespace opcat::pages
