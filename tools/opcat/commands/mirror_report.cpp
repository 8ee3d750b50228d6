// What `opcat mirror` prints of a run.
#include "commands/mirror.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/mirror/mirror.hpp"
#include "opcat/mirror/run_report.hpp"
#include "terminal/output.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

namespace opcat {

void print_sizes(const MirroredImages& mirrored, Session& session) {
    session.out.write(table_in_locale(sizes_as_rows(mirrored), session));
    session.out.flush();
}

void report_run(const MirroredImages& mirrored, const MirrorRun& run, const Session& session) {
    for (const MirroredImage& image : mirrored.images)
        if (const auto& failure = image.copy.failure) session.print_error(failure->what(), failure->hint());
    for (const CatalogLeftOut& catalog : mirrored.incomplete.left_out)
        session.print_error(
            fmt::format("without the bundles whose images failed, the catalog {} {}: it is not "
                        "copied",
                        catalog.name, catalog.why));
    if (session.options.quiet) return;
    for (const ReducedCatalog& catalog : mirrored.incomplete.reduced)
        session.print_lines(fmt::format("{} loses bundles whose images failed:\n{}",
                                        escape_controls(catalog.name), to_text(catalog.report)));
    for (const RebuiltCatalog& catalog : mirrored.rebuilt)
        if (run.attachments != image::Attachments::none && !run.dry_run)
            session.print(fmt::format("{} was made here and is not signed; to sign it: cosign sign {}\n",
                                      catalog.image, catalog.image));
    const std::vector<std::string> incomplete = incomplete_bundles(mirrored);
    if (!incomplete.empty() && !run.dry_run && !run.drop_incomplete && run.keep_going)
        session.print(fmt::format("{} in the mirrored catalogs {} incomplete: {}\n",
                                  counted(incomplete.size(), "bundle"), incomplete.size() == 1 ? "is" : "are",
                                  listed(incomplete, 20)));
    const RunTotals totals = totals_of(mirrored);
    std::string text = fmt::format("{} {}, {}; {} {} there already", counted(totals.changed, "image"),
                                   run.dry_run ? "to copy" : "copied", human_size(totals.sent), totals.there,
                                   totals.there == 1 ? "was" : "were");
    if (mirrored.failed > 0) text += fmt::format("; {} failed", mirrored.failed);
    if (mirrored.failed > 0 && run.dry_run && !run.keep_going)
        text += ", and without --keep-going no catalog would be copied";
    session.print(text + "\n");
    if (mirrored.archive)
        session.print(fmt::format("wrote {} of {} in all\n", counted(mirrored.archive->segments, "segment"),
                                  human_size(mirrored.archive->bytes)));
}

int status_of(const MirroredImages& mirrored, const MirrorRun& run) {
    if (mirrored.failed == 0 && mirrored.incomplete.left_out.empty()) return exit_ok;
    if (run.dry_run) return exit_findings;
    if (!run.keep_going) return exit_environment;
    constexpr int of_operators = 4;
    constexpr int of_additional_images = 8;
    return (mirrored.failed_for_catalogs || !mirrored.incomplete.left_out.empty() ? of_operators : 0) +
           (mirrored.failed_additional ? of_additional_images : 0);
}

std::vector<std::string> remove_superfluous(Mirror& mirror, const MirroredImages& mirrored,
                                            const MirrorRun& run, Session& session, ThreadPool& pool) {
    if (!run.prune) return {};
    if (!mirrored.incomplete.left_out.empty()) {
        session.print_warning("nothing is removed, because a catalog is not copied");
        return {};
    }
    if (!mirrored.is_source_whole || mirrored.is_source_unfinished) {
        session.print_warning(mirrored.is_source_whole
                                  ? "nothing is removed, because the first step has not ended"
                                  : "nothing is removed, because the first step could not copy all images");
        return {};
    }
    const PrunedImages pruned = mirror.prune(run.dry_run, pool);
    if (pruned.keeps_attachments)
        session.print_warning(
            "no attachment is removed, because it is not known which ones images still have");
    for (const auto& [image, why] : pruned.kept)
        session.print_warning(
            fmt::format("{} stays, although this mirror no longer needs it: {}", image, why));
    if (!session.options.quiet) {
        for (const std::string& image : pruned.images)
            session.print(fmt::format("{} {}\n", run.dry_run ? "would remove" : "removed", image));
        if (pruned.blobs > 0)
            session.print(fmt::format("{} that no image needs removed, {}\n", counted(pruned.blobs, "blob"),
                                      human_size(pruned.bytes)));
    }
    return pruned.images;
}

} // namespace opcat
