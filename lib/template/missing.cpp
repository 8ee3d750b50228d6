#include "opcat/template/missing.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/ignore/walk.hpp"

#include <fmt/core.h>

#include <map>

namespace opcat {
namespace {

namespace fs = std::filesystem;

using Shown = std::function<std::string(const fs::path&)>;

// Reads a file, or the files of a directory.
std::vector<std::unique_ptr<SourceFile>> read_catalog_files(const fs::path& place, const Shown& shown) {
    const CatalogListing listing =
        walk_catalog_directory(place, {}, shown(place), Links::within_root, Git::skip);
    if (!listing.problems.empty())
        throw Error(fmt::format("cannot convert {}: {}", shown(place), listing.problems.front().message));
    std::vector<std::unique_ptr<SourceFile>> files;
    files.reserve(listing.files.size());
    for (const CatalogFile& file : listing.files) files.push_back(read_file(file.path, shown(file.path)));
    return files;
}

} // namespace

std::optional<std::vector<NewTemplate>>
missing_templates(std::span<const CatalogSetting> catalogs, TemplateKind kind, const Shown& shown,
                  const std::function<void(const Diagnostics&)>& report) {
    struct Made {
        const CatalogSetting* from;
        std::string text;
    };
    std::map<fs::path, Made> made;
    bool good = true;
    for (const CatalogSetting& setting : catalogs) {
        const fs::path& place = setting.template_file;
        if (place.empty() || fs::exists(place)) continue;
        const auto files = read_catalog_files(setting.catalog, shown);
        ConvertedTemplate converted =
            convert_to_template(files, kind, place.extension() == ".json" ? Format::json : Format::yaml);
        report(converted.diagnostics);
        good = good && converted.diagnostics.empty();
        if (converted.diagnostics.empty() && !converted.has_entries)
            throw RequestError(fmt::format("{} is empty: it has no blob to convert", shown(setting.catalog)));
        const auto [at, is_first] = made.try_emplace(place, Made{&setting, converted.text});
        if (!is_first && at->second.text != converted.text)
            throw RequestError(fmt::format("{} and {} differ, and {} would be the template of both",
                                           shown(at->second.from->catalog), shown(setting.catalog),
                                           shown(place)),
                               "give the versions templates of their own: {version} in the path");
    }
    if (!good) return std::nullopt;
    std::vector<NewTemplate> templates;
    templates.reserve(made.size());
    for (auto& [place, one] : made) templates.push_back({place, std::move(one.text)});
    return templates;
}

} // namespace opcat
