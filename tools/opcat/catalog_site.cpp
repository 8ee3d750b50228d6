#include "catalog_site.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/lint.hpp"
#include "references.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <fstream>

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
