#include "opcat/authoring/normalise_file.hpp"

#include "opcat/base/error.hpp"
#include "opcat/catalog/finding.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/document/source_details.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/lint/checks.hpp"

#include <fmt/core.h>

#include <iterator>

namespace opcat {
namespace {

// Writing leaves out what belongs to no package.
void check_packages(const Catalog& catalog, Diagnostics& diagnostics) {
    const auto check = [&](const Blob& blob, std::string_view package, std::string_view schema) {
        if (package.empty())
            diagnostics.push_back(error("package-unknown", blob.start(),
                                        std::string(schema) + " without a package would be lost",
                                        "say to which package it belongs"));
    };
    for (const Package& p : catalog.packages) check(p, p.name, schema::package);
    for (const Channel& c : catalog.channels) check(c, c.package, schema::channel);
    for (const Bundle& b : catalog.bundles) check(b, b.package, schema::bundle);
    for (const Deprecations& d : catalog.deprecations) check(d, d.package, schema::deprecations);
}

// One finding for all comments of the file: there may be many.
void check_comments(const SourceFile& file, Diagnostics& diagnostics) {
    const std::vector<Location> comments = find_yaml_comments(file);
    if (comments.empty()) return;
    diagnostics.push_back(error(
        "format-loss", comments.front(),
        comments.size() == 1 ? "this comment would be lost"
                             : fmt::format("{} comments would be lost, this is the first", comments.size())));
}

void check_fields(const Catalog& catalog, Diagnostics& diagnostics) {
    Diagnostics unknown;
    for (const PackageIndex& package : index_packages(catalog)) check_unknown_fields(package, unknown);
    sort_by_place(unknown);
    for (Diagnostic& finding : unknown) {
        finding.severity = Severity::error;
        finding.rule = "format-loss";
        finding.message += ": it would be lost";
        if (!finding.help.starts_with("did you mean")) finding.help = "remove it";
        diagnostics.push_back(std::move(finding));
    }
}

Format format_of(const SourceFile& file) {
    Diagnostics ignored; // loading has them, too
    const auto documents = split_into_documents(file, ignored);
    return !documents.empty() && documents.front().notation == Notation::json ? Format::json : Format::yaml;
}

LoadedCatalog load(std::unique_ptr<SourceFile> file, ThreadPool& pool) {
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::move(file));
    return load_catalog(std::move(files), pool);
}

std::string write(const Catalog& catalog, Format format, ThreadPool& pool) {
    std::string all;
    write_catalog(catalog, format, pool, [&](std::string_view, std::string_view text) { all += text; });
    return all;
}

// opm writes some texts as YAML that means something else.
void check_that_it_reads_back(const Catalog& catalog, const std::string& text, const std::string& path,
                              ThreadPool& pool) {
    const LoadedCatalog again = load(std::make_unique<SourceFile>(path, text), pool);
    if (again.diagnostics.empty() &&
        write(again.catalog, Format::json, pool) == write(catalog, Format::json, pool))
        return;
    throw Error(
        fmt::format("cannot normalise {}: as opm writes it, it would read back as something else", path),
        "in YAML, opm loses the line break U+0085 of a text, and takes a key << for a merge: write the file "
        "as JSON");
}

} // namespace

NormalisedFile normalise_file(std::unique_ptr<SourceFile> file, bool drop_comments, ThreadPool& pool) {
    const Format format = format_of(*file);
    Diagnostics losses;
    if (!drop_comments) check_comments(*file, losses);
    const std::string path = file->path();
    const std::string before(file->bytes());
    NormalisedFile result;
    result.loaded = load(std::move(file), pool);
    check_packages(result.loaded.catalog, result.loaded.diagnostics);
    check_fields(result.loaded.catalog, losses);
    std::move(losses.begin(), losses.end(), std::back_inserter(result.loaded.diagnostics));
    if (!result.loaded.diagnostics.empty()) return result;
    result.text = write(result.loaded.catalog, format, pool);
    result.changed = result.text != before;
    if (result.changed) check_that_it_reads_back(result.loaded.catalog, result.text, path, pool);
    return result;
}

} // namespace opcat
