// Divides a catalog into the files of a directory.
#pragma once

#include "opcat/catalog/write.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// The unit that has a file of its own. Each divides further than the one before.
enum class Layout : uint8_t {
    package, // PACKAGE/catalog.yaml
    bundle,  // in addition PACKAGE/bundles/NAME.yaml
    channel, // in addition PACKAGE/channels/NAME.yaml
};

constexpr std::array<std::string_view, 3> layout_names{"package", "bundle", "channel"};
std::optional<Layout> find_layout(std::string_view name);
constexpr std::string_view to_string(Layout layout) {
    return layout_names[static_cast<size_t>(layout)];
}

struct CatalogFileText {
    std::filesystem::path path; // relative to the directory
    std::string text;
};

// The files of a catalog, whose blobs are written as write_catalog writes them. Together they read as the
// same catalog. Throws Error as write_catalog_directory does.
std::vector<CatalogFileText> lay_out(const Catalog& catalog, Layout layout, Format format, ThreadPool& pool);

} // namespace opcat
