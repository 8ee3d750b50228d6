#include "opcat/pages/export.hpp"

#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <fstream>
#include <string_view>

namespace opcat::pages {

namespace fs = std::filesystem;

namespace {

// Says that all of a directory is ours.
constexpr std::string_view mark = ".opcat-pages";

} // namespace

void require_replaceable(const fs::path& directory) {
    std::error_code failed;
    const fs::file_status status = fs::symlink_status(directory, failed);
    if (status.type() == fs::file_type::not_found) return;
    if (status.type() != fs::file_type::directory)
        throw Error(fmt::format("cannot write pages to {}: it is not a directory", directory.string()),
                    "name a new directory");
    const bool is_empty = fs::is_empty(directory, failed);
    if (failed)
        throw Error(
            fmt::format("cannot write pages to {}: {}", directory.string(), system_message(failed.value())));
    if (!is_empty && !fs::exists(directory / mark, failed))
        throw Error(fmt::format("cannot write pages to {}: it holds files that are not from opcat",
                                directory.string()),
                    "name a new directory, or an empty one");
}

namespace {

// Into a directory that nobody sees yet: it need not appear at once.
void write_new(const fs::path& path, std::string_view text) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) throw Error(fmt::format("cannot write {}: {}", path.string(), system_message(errno)));
}

} // namespace

WrittenPages write_pages(std::span<const std::shared_ptr<const CatalogPages>> catalogs,
                         const fs::path& directory, ThreadPool& pool) {
    require_replaceable(directory);
    WrittenPages written;
    StagedDirectory staged(directory);
    write_new(staged.path() / mark, "Made by opcat serve --export, which replaces all of this directory.\n");
    for (const std::string_view name : asset_names()) write_new(staged.path() / name, asset(name)->body);
    write_new(staged.path() / "index.html", home_page(catalogs).body);
    written.files = 1 + asset_names().size();
    for (const auto& catalog : catalogs) {
        const fs::path folder = staged.path() / "catalogs" / catalog->name();
        const std::vector<std::string> paths = catalog->paths();
        pool.for_each(paths.size(),
                      [&](size_t i) { write_new(folder / paths[i], catalog->page(paths[i]).body); });
        written.files += paths.size();
        for (const PackagePages& package : catalog->packages())
            if (!package.has_upgrades) written.without_upgrades.push_back(package.name());
    }
    staged.commit();
    return written;
}

} // namespace opcat::pages
