#include "catalog_site.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/pages/export.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;

void require_existing(const std::vector<serve::ServedSource>& sources, const Session& session) {
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

void export_pages(const std::vector<serve::ServedSource>& sources, const fs::path& directory,
                  const ImageFlags& images, Session& session) {
    require_existing(sources, session);
    pages::require_replaceable(directory);
    std::vector<std::shared_ptr<const pages::CatalogPages>> catalogs;
    catalogs.reserve(sources.size());
    OpenOptions how = opening(images, session);
    how.follow_links = true;
    for (const serve::ServedSource& source : sources) {
        Source opened = open(source.reference, how, session.pool());
        if (opened.catalog().packages.empty())
            throw Error(fmt::format("{} has no packages: there are no pages to write", source.reference),
                        "name a catalog, or a directory of catalogs");
        // The pages show the errors, too, but those who publish them see only this.
        report_findings(opened.loaded().diagnostics, session);
        std::vector<pages::PageFinding> findings = pages::find_for_pages(opened, session.pool());
        catalogs.push_back(std::make_shared<const pages::CatalogPages>(
            source.name, std::move(opened).take().catalog, std::move(findings), pages::Use::files,
            session.pool()));
    }
    const pages::WrittenPages written = pages::write_pages(catalogs, directory, session.pool());
    for (const std::string_view package : written.without_upgrades) {
        session.print_warning(fmt::format("the pages of package \"{}\" lack the upgrades from each version: "
                                          "it has too many versions [limit]",
                                          escape_controls(package)));
        session.exit_status = exit_environment;
    }
    if (!session.options.quiet)
        session.print(fmt::format("{} written to {}\n", counted(written.files, "file"), directory.string()));
}

} // namespace opcat
