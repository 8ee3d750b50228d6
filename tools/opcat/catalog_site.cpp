#include "catalog_site.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/ignore/walk.hpp"
#include "opcat/lint/lint.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;

void require_existing(const std::vector<ServedSource>& sources, const Session& session) {
    std::error_code ignored;
    for (const auto& [name, reference, is_directory] : sources) {
        // opm only accepts a directory; a missing short name must not be pulled.
        if (session.as_opm() && !fs::is_directory(reference, ignored) &&
            !image::Name::has_transport(reference))
            throw Error(fmt::format("cannot serve {}: {}", reference,
                                    fs::exists(reference, ignored) ? "it is not a directory"
                                                                   : system_message(ENOENT)));
        require_existing(reference, session.manner());
    }
}

Source open_source(const ServedSource& source, const ImageFlags& images, Session& session) {
    OpenOptions how = opening(images, session);
    how.follow_links = true;
    return open(source.reference, how, session.pool());
}

std::string current_digest(const ServedSource& source, const ImageFlags& images, Session& session) {
    if (source.is_directory || !names_image(source.reference, session.manner())) return {};
    const image::Name name = required(image::Name::parse(source.reference));
    if (name.transport != image::Transport::registry) return {};
    image::Puller puller(image_options(images, session));
    return puller.digest(name);
}

std::vector<pages::PageFinding> find_for_pages(const Source& source, ThreadPool& pool) {
    return pages::page_findings(lint({{source}}, {}, pool), source.name());
}

namespace {

// Which files belong together.
class FileGroups {
public:
    explicit FileGroups(size_t files) : above_(files) { std::iota(above_.begin(), above_.end(), size_t{0}); }

    size_t first_of(size_t file) {
        while (above_[file] != file) file = above_[file] = above_[above_[file]];
        return file;
    }
    // The first one of both stays the first.
    void join(size_t a, size_t b) {
        const auto [first, second] = std::minmax({first_of(a), first_of(b)});
        above_[second] = first;
    }

private:
    std::vector<size_t> above_;
};

// By group, the files of each in their order; nothing if some file does not load.
std::optional<std::vector<std::vector<CatalogFile>>> group_by_package(const std::string& directory,
                                                                      Session& session) {
    const bool skip_git = !session.as_opm();
    const CatalogListing listing =
        walk_catalog_directory(directory, {}, {}, Links::follow, skip_git ? Git::skip : Git::walk);
    std::unordered_map<std::string_view, size_t> indices;
    std::vector<std::string> names;
    for (const CatalogFile& file : listing.files) names.push_back(file.path.string());
    for (size_t i = 0; i < names.size(); ++i) indices.emplace(names[i], i);
    FileGroups groups(names.size());
    std::unordered_map<std::string, size_t> first_of_package;
    std::vector<bool> has_blobs(names.size());
    const Diagnostics problems = load_catalog_in_parts(
        directory, session.pool(), {.follow_links = true, .skip_git = skip_git, .names_only = true},
        [&](const Catalog& part) {
            for (const OtherBlob& blob : part.others) {
                const size_t file = indices.at(blob.file->path());
                const std::string_view package = blob.schema == schema::package ? blob.name : blob.package;
                groups.join(first_of_package.try_emplace(std::string(package), file).first->second, file);
                has_blobs[file] = true;
            }
        });
    const auto some = std::find(has_blobs.begin(), has_blobs.end(), true);
    if (!listing.problems.empty() || has_errors(problems) || some == has_blobs.end()) return std::nullopt;
    // Alone, files without blobs would be an empty catalog.
    for (size_t i = 0; i < names.size(); ++i)
        if (!has_blobs[i]) groups.join(i, static_cast<size_t>(some - has_blobs.begin()));
    std::vector<std::vector<CatalogFile>> found(names.size());
    for (size_t i = 0; i < names.size(); ++i) found[groups.first_of(i)].push_back(listing.files[i]);
    std::erase_if(found, [](const auto& files) { return files.empty(); });
    return found;
}

// Returns true if what it says, or what it explains, can depend on other packages.
bool is_about_several(const Diagnostic& finding) {
    constexpr std::string_view rules[] = {"package-unknown", "blob-of-no-package", "unknown-schema"};
    return !finding.where || std::ranges::find(rules, finding.rule) != std::end(rules);
}

} // namespace

std::optional<std::vector<pages::PageFinding>> find_in_parts(const std::string& directory, Session& session) {
    constexpr uint64_t enough = uint64_t{8} << 20;
    auto groups = group_by_package(directory, session);
    if (!groups) return std::nullopt;
    std::vector<pages::PageFinding> all;
    for (size_t next = 0; next < groups->size();) {
        std::vector<std::unique_ptr<SourceFile>> files;
        uint64_t bytes = 0;
        for (; next < groups->size() && bytes < enough; ++next)
            for (const CatalogFile& file : (*groups)[next]) {
                files.push_back(read_file(file.path, file.path.string()));
                bytes += files.back()->bytes().size();
            }
        const Source part(directory, load_catalog(std::move(files), session.pool()));
        const LintResult result = lint({{part}}, {}, session.pool());
        if (std::any_of(result.findings.begin(), result.findings.end(), is_about_several))
            return std::nullopt;
        std::vector<pages::PageFinding> some = pages::page_findings(result, part.name());
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
}

namespace {

// Says that all of a directory is ours.
constexpr std::string_view mark = ".opcat-pages";

void check_target(const fs::path& directory) {
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

void export_pages(const std::vector<ServedSource>& sources, const fs::path& directory,
                  const ImageFlags& images, Session& session) {
    require_existing(sources, session);
    check_target(directory);
    std::vector<std::shared_ptr<const pages::CatalogPages>> catalogs;
    catalogs.reserve(sources.size());
    for (const ServedSource& source : sources) {
        Source opened = open_source(source, images, session);
        std::vector<pages::PageFinding> findings = find_for_pages(opened, session.pool());
        catalogs.push_back(std::make_shared<const pages::CatalogPages>(
            source.name, std::move(opened).take().catalog, std::move(findings), pages::Use::files,
            session.pool()));
    }
    StagedDirectory staged(directory);
    write_new(staged.path() / mark, "Made by opcat serve --export, which replaces all of this directory.\n");
    for (const std::string_view name : pages::asset_names())
        write_new(staged.path() / name, pages::asset(name)->body);
    write_new(staged.path() / "index.html", pages::home_page(catalogs).body);
    size_t count = 1 + pages::asset_names().size();
    for (const auto& catalog : catalogs) {
        const fs::path folder = staged.path() / "catalogs" / catalog->name();
        const std::vector<std::string> paths = catalog->paths();
        session.pool().for_each(
            paths.size(), [&](size_t i) { write_new(folder / paths[i], catalog->page(paths[i]).body); });
        count += paths.size();
        for (const pages::PackagePages& package : catalog->packages()) {
            if (package.has_upgrades) continue;
            session.print_warning(
                fmt::format("the pages of package \"{}\" lack the upgrades from each version: "
                            "it has too many versions [limit]",
                            escape_controls(package.name())));
            session.exit_status = exit_environment;
        }
    }
    staged.commit();
    if (!session.options.quiet)
        session.print(fmt::format("{} written to {}\n", counted(count, "file"), directory.string()));
}

} // namespace opcat
