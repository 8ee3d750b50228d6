#include "mirror_content.hpp"

#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/image/name.hpp"
#include "opcat/lint/lint.hpp"
#include "references.hpp"
#include "terminal/findings.hpp"
#include "terminal/session.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace opcat {

namespace fs = std::filesystem;

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

const ImageSetCatalog& item_for(const ImageSet& set, const std::string& reference) {
    const auto named = std::find_if(set.catalogs.begin(), set.catalogs.end(),
                                    [&](const ImageSetCatalog& item) { return item.reference == reference; });
    if (named != set.catalogs.end()) return *named;
    if (set.catalogs.size() == 1) return set.catalogs.front();
    std::vector<std::string> names;
    for (const ImageSetCatalog& item : set.catalogs) names.push_back(item.reference);
    throw RequestError(fmt::format("the ImageSetConfiguration does not name the catalog {}", reference),
                       names.empty() ? "it has no operators" : "it names " + listed(names, 8));
}

namespace {

// The wanted part; nothing, and the findings are shown, if it is not valid.
std::optional<FilteredCatalog> part_of(Catalog catalog, const ImageSetCatalog* item,
                                       const Selection& selection, const ContentFlags& flags,
                                       const std::string& reference, Session& session) {
    FilteredCatalog part;
    try {
        if (item) {
            part = filter_catalog(catalog, item->request, flags.selection.with_dependencies, session.pool());
        } else if (selection.packages.empty()) {
            part.diagnostics = find_errors(catalog, session.pool());
            part.catalog = std::move(catalog);
            part.is_whole = true;
        } else {
            part = filter_catalog(catalog, selection, flags.selection.with_dependencies, session.pool());
        }
    } catch (const RequestError& error) { // there may be several catalogs
        throw RequestError(fmt::format("cannot select from {}: {}", reference, error.what()), error.hint());
    }
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
        auto filtered = part_of(std::move(opened[i]).take().catalog, part.item, *selection, flags,
                                part.reference, session);
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
    std::unordered_set<const Bundle*> gone;
    for (const BlockedBundle& one : part.blocked) gone.insert(one.bundle);
    FilteredCatalog rest = without_bundles(part.catalog, gone, session.pool());
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

MirrorName target_of(const MirrorPart& part) {
    MirrorName name;
    if (part.image.empty()) {
        const fs::path path = fs::absolute(part.reference).lexically_normal();
        name = {(path.has_filename() ? path : path.parent_path()).filename().string(), "latest"};
    } else {
        const image::Name image = required(image::Name::parse(part.reference));
        name = image.spec ? mirror_name(*image.spec)
                          : MirrorName{fs::path(image.path).stem().string(),
                                       image.tag.empty() ? "latest" : image.tag};
    }
    if (part.item && !part.item->target_repository.empty()) name.repository = part.item->target_repository;
    if (part.item && !part.item->target_tag.empty()) name.tag = part.item->target_tag;
    const auto spec = PullSpec::parse("localhost/" + name.to_string());
    if (!spec)
        throw RequestError(
            fmt::format("the catalog {} cannot be called {} in the mirror: {}", part.reference,
                        name.to_string(), spec.error().message),
            "name it with targetCatalog and targetTag in an ImageSetConfiguration, or rename the "
            "directory");
    return name;
}

} // namespace opcat
