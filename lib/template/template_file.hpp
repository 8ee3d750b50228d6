// A template that has been read, and what its kinds have in common.
#pragma once

#include "catalog/field_reader.hpp"
#include "template/template.hpp"

#include <memory>
#include <vector>

namespace opcat {

struct TemplateFile {
    std::shared_ptr<CatalogStorage> storage; // with the file, and one arena
    Value root;                              // an object

    const SourceFile& file() const { return *storage->files.front(); }
    Arena& arena() const { return storage->arenas.front(); }
    FieldReader fields(Diagnostics& diagnostics) const {
        return {&file(), root, "the template", diagnostics};
    }
};

// A reference to a bundle and where it stands.
struct BundleReference {
    std::string_view text;
    Location where;
};

// Loads the bundles, each reference once, and returns for each the bundle that it names. What they refer to
// is kept in `loaded.catalog.storage`, diagnostics are added to those of `loaded`. Nothing if there are
// errors then: a reference must name exactly one bundle.
std::optional<std::vector<Bundle>> load_bundles(std::span<const BundleReference> references,
                                                const LoadBundles& load, LoadedCatalog& loaded);

// The blobs below "entries".
void decode_entries(const TemplateFile& file, LoadedCatalog& loaded);

LoadedCatalog render_basic(const TemplateFile& file, const LoadBundles& load);
LoadedCatalog render_semver(const TemplateFile& file, const LoadBundles& load);
LoadedCatalog render_substitutes(const TemplateFile& file, const LoadBundles& load, ThreadPool& pool);

} // namespace opcat
