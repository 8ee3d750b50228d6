#include "opcat/workspace/open.hpp"

#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/legacy_index/legacy_index.hpp"
#include "opcat/template/template.hpp"
#include "opcat/workspace/parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace opcat {

namespace fs = std::filesystem;

void require_taken(bool taken, std::string_view what, const std::string& reference) {
    if (!taken)
        throw RequestError(fmt::format("{} {} is not allowed here: opm does not take it", what, reference));
}

void warn(const OpenOptions& options, const std::string& warning) {
    if (options.warn) options.warn(warning);
}

namespace {

bool is_standard_input(const std::string& reference, const OpenOptions& options) {
    return reference == "-" && options.standard_input;
}

void require_one_standard_input(const std::vector<std::string>& references, const OpenOptions& options) {
    if (options.standard_input && std::count(references.begin(), references.end(), "-") > 1)
        throw RequestError("standard input can be read only once", "put one of the catalogs into a file");
}

LoadedCatalog load_standard_input(const OpenOptions& options, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(options.standard_input());
    LoadedCatalog loaded = load_catalog(std::move(files), pool);
    open_template(loaded, "-", options, pool);
    return loaded;
}

// Templates in the directory of a catalog are no part of it.
void note_templates(LoadedCatalog& loaded) {
    for (const OtherBlob& blob : loaded.catalog.others)
        if (const auto kind = find_template_kind(blob.schema); kind && schema_of(*kind) == blob.schema.text)
            loaded.oddities.push_back(
                {.severity = Severity::warning,
                 .rule = "template",
                 .message = "a template in the directory of a catalog is not checked, and not rendered",
                 .where = blob.start(),
                 .notes = {},
                 .help = "name its file, and list it in an .indexignore file if it has to be there"});
    sort_by_place(loaded.oddities);
}

// `next_image`: of those that were pulled for all references, the one that the next image is.
LoadedCatalog load(const std::string& reference,
                   std::vector<image::UnpackedImage>::const_iterator& next_image, const OpenOptions& options,
                   ThreadPool& pool) {
    if (is_standard_input(reference, options)) return load_standard_input(options, pool);
    switch (kind_of(reference, options.manner)) {
    case ReferenceKind::image:
        return load_image(*next_image++, options, pool);
    case ReferenceKind::revision:
        return load_revision(reference, options, pool);
    case ReferenceKind::path:
        break;
    }
    return load_path(reference, reference, options, pool);
}

} // namespace

LoadedCatalog load_path(const fs::path& path, const std::string& shown, const OpenOptions& options,
                        ThreadPool& pool) {
    const bool as_opm = options.manner == Manner::opm;
    if (!as_opm) require_existing(path);
    const bool is_bundle = is_bundle_directory(path);
    require_taken(options.taken == Taken::all || (options.taken == Taken::catalogs && !is_bundle),
                  is_bundle ? "the bundle directory" : "the catalog", shown);
    if (is_bundle)
        return load_bundle_directory(
            path, {.image = {}, .image_template = options.image_template, .shown_root = shown});
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) {
        if (is_legacy_index(path)) return load_legacy_index(path, pool, shown);
        // opcat takes a file of a catalog for a catalog; to opm it is nothing.
        if (as_opm) throw RequestError("cannot render " + shown + ": a file must be an index database");
    }
    LoadedCatalog loaded = load_catalog(path, pool,
                                        {.max_file_size = options.max_file_size,
                                         .shown_root = path == shown ? std::string() : shown,
                                         .follow_links = options.follow_links,
                                         .skip_git = !as_opm});
    if (!fs::is_directory(path, ignored))
        open_template(loaded, shown, options, pool);
    else if (options.templates)
        note_templates(loaded);
    return loaded;
}

std::vector<Source> open_each(const std::vector<std::string>& references, const OpenOptions& options,
                              ThreadPool& pool) {
    require_one_standard_input(references, options);
    const std::vector<image::UnpackedImage> images = pull_images(references, options, pool);
    auto next_image = images.begin();
    std::vector<Source> opened;
    opened.reserve(references.size());
    for (const std::string& reference : references)
        opened.emplace_back(reference, load(reference, next_image, options, pool));
    return opened;
}

Source open(const std::string& reference, const OpenOptions& options, ThreadPool& pool) {
    return std::move(open_each({reference}, options, pool).front());
}

std::vector<SourceOrError> open_each_that_can(const std::vector<std::string>& references,
                                              const OpenOptions& options, ThreadPool& pool) {
    require_one_standard_input(references, options);
    std::vector<SourceOrError> all;
    try {
        for (Source& source : open_each(references, options, pool)) all.emplace_back(std::move(source));
        return all;
    } catch (const Error&) {
        all.clear();
        if (references.size() == 1) {
            all.emplace_back(std::current_exception());
            return all;
        }
    }
    for (const std::string& reference : references)
        all.push_back(std::move(open_each_that_can({reference}, options, pool).front()));
    return all;
}

Source open_together(const std::vector<std::string>& references, const OpenOptions& options,
                     ThreadPool& pool) {
    std::vector<Source> each = open_each(references, options, pool);
    if (each.size() == 1) return std::move(each.front());
    LoadedCatalog all;
    for (Source& source : each) {
        LoadedCatalog loaded = std::move(source).take();
        append(all.catalog, std::move(loaded.catalog));
        all.bundles_unknown |= loaded.bundles_unknown;
        all.diagnostics.append(std::move(loaded.diagnostics));
    }
    return {references.front(), std::move(all)};
}

std::vector<BundleFiles> open_bundle_files(const std::vector<std::string>& references,
                                           const OpenOptions& options, ThreadPool& pool) {
    std::vector<image::UnpackedImage> images = pull_images(references, options, pool);
    auto next_image = images.begin();
    std::vector<BundleFiles> all;
    for (const std::string& reference : references) {
        if (names_image(reference, options.manner)) {
            all.push_back(bundle_files_of(std::move(*next_image++), options));
            continue;
        }
        std::error_code failed;
        if (!fs::is_directory(reference, failed))
            throw Error(failed ? fmt::format("cannot read {}: {}", reference, system_message(failed.value()))
                               : fmt::format("{} is not a directory", reference),
                        "name the directory of a bundle, or its image");
        all.push_back({.directory = reference, .shown = reference});
    }
    return all;
}

} // namespace opcat
