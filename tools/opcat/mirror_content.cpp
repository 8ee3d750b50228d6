#include "mirror_content.hpp"

#include "input.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <fmt/core.h>

#include <utility>

namespace opcat {

std::optional<OpenImageSet> open_image_set(const std::string& path, bool needs_all, Session& session,
                                           ImageSetUse use) {
    OpenImageSet open{read_input(path), {}};
    Diagnostics diagnostics;
    open.set = read_image_set(*open.file, diagnostics, use);
    for (Diagnostic finding : open.set.unsupported) {
        if (!needs_all) finding.severity = Severity::warning;
        diagnostics.push_back(std::move(finding));
    }
    if (!report_findings(diagnostics, session)) return std::nullopt;
    return open;
}

namespace {

// The wanted part; nothing, and the findings are shown, if it is not valid.
std::optional<FilteredCatalog> part_of(const MirrorPart& wanted, Catalog catalog, const Selection& selection,
                                       const ContentFlags& flags, Session& session) {
    FilteredCatalog part =
        select_part(wanted, std::move(catalog), selection, flags.selection.with_dependencies, session.pool());
    for (Diagnostic& finding : part.diagnostics)
        if (flags.keep_going && finding.rule == "image-reference") finding.severity = Severity::warning;
    if (!report_findings(part.diagnostics, session)) return std::nullopt;
    if (!part.is_whole && !session.options.quiet) session.print_lines(to_text(part.report));
    return part;
}

} // namespace

std::optional<std::vector<MirrorPart>>
select_content(const ContentFlags& flags, const ImageSet& set, const BlockedImages& blocked,
               const std::string& prefix, const std::function<std::string(const std::string&)>& pin,
               Session& session) {
    const auto selection = selection_of(flags.selection, session);
    if (!selection) return std::nullopt;
    std::vector<MirrorPart> parts;
    for (const std::string& reference : flags.catalogs)
        parts.push_back({reference, {}, nullptr, {}, false, {}});
    for (const ImageSetCatalog& item : set.catalogs)
        parts.push_back({item.reference, {}, &item, {}, false, {}});
    std::vector<std::string> references;
    references.reserve(parts.size());
    for (MirrorPart& part : parts) {
        if (names_image(part.reference, session.manner())) part.image = pin(part.reference);
        references.push_back(part.image.empty() ? part.reference : part.image);
    }
    std::vector<Source> opened = open_each(references, opening(flags.images, session), session.pool());
    for (size_t i = 0; i < parts.size(); ++i) {
        MirrorPart& part = parts[i];
        if (!report_findings(opened[i].loaded().diagnostics, session)) return std::nullopt;
        auto filtered = part_of(part, std::move(opened[i]).take().catalog, *selection, flags, session);
        if (!filtered) return std::nullopt;
        part.catalog = std::move(filtered->catalog);
        part.is_whole = filtered->is_whole;
        if (!report_empty(part.catalog, Content::package, flags.allow_empty,
                          fmt::format("what is to be mirrored of {}", part.reference),
                          "correct its name, or select something that it has", session))
            return std::nullopt;
        part.blocked = blocked.bundles_in(part.catalog, prefix);
    }
    return parts;
}

bool apply_blocked(MirrorPart& part, bool keep, Session& session) {
    if (part.blocked.empty()) return true;
    const std::string bundles = listed(part.blocked, 20, [](const BlockedBundle& one) {
        return fmt::format("{} ({})", one.bundle->name.text, one.image);
    });
    if (!session.options.quiet)
        session.print(fmt::format("blocked images are needed by {}, which {} {}\n", bundles,
                                  part.blocked.size() == 1 ? "is" : "are",
                                  keep ? "marked as deprecated" : "left out"));
    part.is_whole = false;
    if (keep) {
        part.catalog = with_marks(part.catalog, part.blocked);
        return true;
    }
    FilteredCatalog rest = without_blocked(part, session.pool());
    if (!report_findings(rest.diagnostics, session)) return false;
    if (!session.options.quiet) session.print_lines(to_text(rest.report));
    if (rest.report.kept.empty()) {
        session.print_error(fmt::format("blocked images leave nothing of {}", part.reference),
                            "block fewer, or keep their bundles with --blocked keep");
        session.exit_status = exit_findings;
        return false;
    }
    part.catalog = std::move(rest.catalog);
    return true;
}

std::vector<ImageSetImage> images_of(const ImageSet& set, const BlockedImages& blocked,
                                     const std::string& prefix, const Session& session) {
    AllowedImages allowed = allowed_images(set, blocked, prefix);
    if (const auto& left_out = allowed.left_out; !left_out.empty() && !session.options.quiet)
        session.print(fmt::format("blockedImages leaves out {} of additionalImages: {}\n",
                                  counted(left_out.size(), "image"), listed(left_out, 20)));
    return std::move(allowed.images);
}

} // namespace opcat
