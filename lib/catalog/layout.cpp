#include "opcat/catalog/layout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace opcat {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const BlobKey& key, Layout layout, std::string_view extension) {
    const fs::path folder(key.package);
    const auto own = [&](const char* kind) {
        return folder / kind / fmt::format("{}{}", key.name, extension);
    };
    if (key.kind == BlobKind::bundle && layout != Layout::package && !key.name.empty()) return own("bundles");
    if (key.kind == BlobKind::channel && layout == Layout::channel && !key.name.empty())
        return own("channels");
    return folder / fmt::format("catalog{}", extension);
}

} // namespace

std::optional<Layout> find_layout(std::string_view name) {
    const auto* const found = std::find(layout_names.begin(), layout_names.end(), name);
    if (found == layout_names.end()) return std::nullopt;
    return static_cast<Layout>(found - layout_names.begin());
}

std::vector<CatalogFileText> lay_out(const Catalog& catalog, Layout layout, Format format, ThreadPool& pool) {
    const std::string_view extension = format == Format::json ? ".json" : ".yaml";
    std::vector<AnyBlob> blobs;
    std::vector<size_t> places; // of each blob, in `files`
    std::vector<CatalogFileText> files;
    std::map<fs::path, size_t> known;
    for (const PackageBlobs& package : by_package(catalog)) {
        check_is_path_element("package", package.package);
        for (const AnyBlob& blob : package.blobs) {
            const BlobKey key = key_of(blob);
            if (layout != Layout::package && key.kind == BlobKind::bundle)
                check_is_path_element("bundle", key.name);
            if (layout == Layout::channel && key.kind == BlobKind::channel)
                check_is_path_element("channel", key.name);
            const auto [at, is_new] = known.emplace(file_of(key, layout, extension), files.size());
            if (is_new) files.push_back({at->first, {}});
            blobs.push_back(blob);
            places.push_back(at->second);
        }
    }
    std::vector<std::string> texts(blobs.size());
    pool.for_each(blobs.size(), [&](size_t i) { append_blob(texts[i], blobs[i], format); });
    for (size_t i = 0; i < blobs.size(); ++i) files[places[i]].text += texts[i];
    return files;
}

} // namespace opcat
