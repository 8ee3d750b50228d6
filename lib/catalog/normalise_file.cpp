#include "catalog/normalise_file.hpp"

#include "catalog/finding.hpp"
#include "catalog/write.hpp"
#include "document/stream.hpp"

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

Format format_of(const SourceFile& file) {
    Diagnostics ignored; // loading has them, too
    const auto documents = cut_into_documents(file, ignored);
    return !documents.empty() && documents.front().notation == Notation::json ? Format::json : Format::yaml;
}

} // namespace

NormalisedFile normalise_file(std::unique_ptr<SourceFile> file, ThreadPool& pool) {
    const Format format = format_of(*file);
    std::vector<std::unique_ptr<SourceFile>> files;
    files.push_back(std::move(file));
    NormalisedFile result{{}, load_catalog(std::move(files), pool)};
    check_packages(result.loaded.catalog, result.loaded.diagnostics);
    if (!result.loaded.diagnostics.empty()) return result;
    write_catalog(result.loaded.catalog, format, pool,
                  [&](std::string_view, std::string_view text) { result.text += text; });
    return result;
}

} // namespace opcat
