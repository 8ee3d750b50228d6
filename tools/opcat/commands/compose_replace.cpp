// `opcat compose INDEX --replace FRAGMENT`.
#include "commands/compose_replace.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/compose/replace.hpp"
#include "opcat/lint/lint.hpp"
#include "outputs.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <set>

namespace opcat {
namespace {

std::string said(const ReplacedPackage& package) {
    return package.is_new
               ? fmt::format("{}: new, {}\n", package.name, counted(package.bundles_after, "bundle"))
               : fmt::format("{}: replaced, {} instead of {}\n", package.name,
                             counted(package.bundles_after, "bundle"), package.bundles_before);
}

} // namespace

void replace_in_index(const std::string& index, const ReplaceFlags& flags, const ImageFlags& images,
                      Session& session) {
    std::vector<std::string> references{index};
    references.insert(references.end(), flags.fragments.begin(), flags.fragments.end());
    require_apart({{"--output-dir", flags.directory}}, references);
    std::vector<Source> opened =
        open_each(references, opening(images, session, StandardInput::taken), session.pool());
    bool good = true;
    for (const Source& source : opened) good = report_findings(source.loaded().diagnostics, session) && good;
    if (!good) return;
    Catalog whole = std::move(opened.front()).take().catalog;
    std::vector<ReplacedPackage> replaced;
    std::set<std::string> seen;
    for (size_t i = 1; i < opened.size(); ++i)
        for (ReplacedPackage& package : replace_packages(whole, std::move(opened[i]).take().catalog)) {
            if (!seen.insert(package.name).second)
                throw RequestError(fmt::format("several fragments have the package {}", package.name));
            replaced.push_back(std::move(package));
        }
    if (!report_findings(find_errors(whole, session.pool()), session)) return;
    if (flags.directory.empty())
        write_catalog(whole, flags.format, session.pool(),
                      [&](std::string_view, std::string_view text) { session.out.write(text); });
    else
        write_catalog_directory(whole, flags.format, flags.directory, session.pool());
    session.out.flush();
    if (!session.options.quiet)
        for (const ReplacedPackage& package : replaced) session.print(said(package));
}

} // namespace opcat
