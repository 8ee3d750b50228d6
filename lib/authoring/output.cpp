#include "opcat/authoring/output.hpp"

#include "opcat/authoring/blob_differences.hpp"
#include "opcat/base/below.hpp"
#include "opcat/base/directories.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/ignore/walk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace opcat {
namespace {

namespace fs = std::filesystem;

bool has_blobs_of(const Catalog& catalog, const std::vector<std::string>& packages) {
    const auto is_one = [&](std::string_view name) {
        return std::find(packages.begin(), packages.end(), name) != packages.end();
    };
    const auto any = [&](const auto& blobs) {
        return std::any_of(blobs.begin(), blobs.end(),
                           [&](const Blob& blob) { return is_one(blob.package); });
    };
    return std::any_of(catalog.packages.begin(), catalog.packages.end(),
                       [&](const Package& package) { return is_one(package.name); }) ||
           any(catalog.channels) || any(catalog.bundles) || any(catalog.deprecations) || any(catalog.others);
}

std::vector<fs::path> find_leftovers(const RenderedOutput& output, ThreadPool& pool) {
    std::vector<fs::path> leftovers;
    std::error_code absent;
    if (output.is_file || !fs::exists(output.place, absent)) return leftovers;
    std::set<std::string> own;
    for (const CatalogFileText& file : output.files) own.insert(file.path.generic_string());
    const CatalogListing listing =
        walk_catalog_directory(output.place, {}, {}, Links::within_root, Git::skip);
    for (const CatalogFile& file : listing.files) {
        if (own.contains(file.name)) continue;
        std::vector<std::unique_ptr<SourceFile>> alone;
        alone.push_back(read_file(file.path, file.path.string()));
        const std::string_view text = alone.front()->bytes();
        if (std::none_of(output.packages.begin(), output.packages.end(),
                         [&](const std::string& name) { return text.find(name) != text.npos; }))
            continue;
        if (has_blobs_of(load_catalog(std::move(alone), pool).catalog, output.packages))
            leftovers.push_back(file.path);
    }
    return leftovers;
}

// A link in a directory must not lead a file that is written out of it.
void require_within(const RenderedOutput& output, const fs::path& path) {
    if (output.is_file) return;
    std::error_code failed;
    const fs::path top = fs::weakly_canonical(output.place, failed);
    const fs::path real = fs::weakly_canonical(path.parent_path(), failed);
    if (failed || !is_below(real, top))
        throw Error(
            fmt::format("cannot write {}: a link leads out of {}", path.string(), output.place.string()));
}

// Carries over files that do not change. They are hard links if the file system has these.
void carry_over(const fs::path& from, const fs::path& to) {
    constexpr auto how = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
    std::error_code failed;
    fs::copy(from, to, how | fs::copy_options::create_hard_links, failed);
    if (failed) fs::copy(from, to, how | fs::copy_options::overwrite_existing);
}

} // namespace

RenderedOutput output_in_file(const Catalog& catalog, const fs::path& place, ThreadPool& pool) {
    RenderedOutput output{.place = place, .is_file = true, .files = {{{}, {}}}, .packages = {}};
    write_catalog(catalog, place.extension() == ".json" ? Format::json : Format::yaml, pool,
                  [&](std::string_view, std::string_view text) { output.files.front().text += text; });
    return output;
}

RenderedOutput output_in_directory(const Catalog& catalog, const fs::path& place, Layout layout,
                                   Format format, ThreadPool& pool) {
    RenderedOutput output{
        .place = place, .is_file = false, .files = lay_out(catalog, layout, format, pool), .packages = {}};
    for (const PackageBlobs& package : by_package(catalog))
        if (!package.package.empty()) output.packages.emplace_back(package.package);
    return output;
}

std::vector<std::string> OutdatedFile::lost() const {
    std::vector<std::string> parts;
    for (const std::string& one : differences)
        if (one.ends_with(was_not_rendered))
            parts.push_back(one.substr(0, one.size() - was_not_rendered.size()));
    return parts;
}

bool OutdatedFile::is_unreadable() const {
    return differences.size() == 1 && differences.front() == was_not_read;
}

OutputState state_of(const RenderedOutput& output, ThreadPool& pool) {
    OutputState state;
    std::error_code failed;
    if (fs::exists(output.place, failed) && fs::is_directory(output.place, failed) == output.is_file)
        throw Error(fmt::format("cannot write {}: it is a {}", output.place.string(),
                                output.is_file ? "directory" : "file"));
    for (size_t i = 0; i < output.files.size(); ++i) {
        const CatalogFileText& file = output.files[i];
        const fs::path path = output.path_of(file);
        require_within(output, path);
        if (!fs::exists(path, failed)) {
            state.outdated.push_back({i, {"the file is missing"}});
            continue;
        }
        const auto before = read_file(path, path.string());
        if (before->bytes() == file.text) continue;
        state.outdated.push_back({i, differences_between(before->bytes(), file.text, pool)});
    }
    state.leftovers = find_leftovers(output, pool);
    return state;
}

std::vector<fs::path> hidden_files(const RenderedOutput& output) {
    std::vector<fs::path> hidden;
    std::error_code absent;
    if (output.is_file || !fs::exists(output.place, absent)) return hidden;
    std::set<std::string> listed;
    for (CatalogFile& file :
         walk_catalog_directory(output.place, {}, {}, Links::within_root, Git::skip).files)
        listed.insert(std::move(file.name));
    for (const CatalogFileText& file : output.files)
        if (!listed.contains(file.path.generic_string()) && fs::exists(output.path_of(file), absent))
            hidden.push_back(output.path_of(file));
    return hidden;
}

void write_outdated(const RenderedOutput& output, const OutputState& state) {
    std::map<fs::path, std::vector<const CatalogFileText*>> folders; // of packages
    for (const OutdatedFile& outdated : state.outdated) {
        const CatalogFileText& file = output.files[outdated.index];
        folders[output.is_file || !file.path.has_parent_path() ? fs::path() : *file.path.begin()].push_back(
            &file);
    }
    for (const auto& [folder, files] : folders) {
        if (folder.empty() || files.size() == 1) {
            for (const CatalogFileText* file : files) {
                const fs::path path = output.path_of(*file);
                if (path.has_parent_path()) make_directories(path.parent_path());
                if (output.is_file)
                    write_output(path, file->text);
                else // a link in a directory may lead out of it
                    write_file(path, file->text);
            }
            continue;
        }
        const fs::path target = output.place / folder;
        StagedDirectory staged(target);
        std::error_code absent;
        const fs::file_status before = fs::status(target, absent);
        if (fs::exists(before)) carry_over(target, staged.path());
        for (const CatalogFileText* file : files) {
            const fs::path path = staged.path() / file->path.lexically_relative(folder);
            make_directories(path.parent_path());
            write_file(path, file->text);
        }
        staged.commit();
        if (fs::exists(before)) fs::permissions(target, before.permissions(), absent);
    }
}

} // namespace opcat
