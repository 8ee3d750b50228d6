// Templates of catalogs (docs/authoring.md): short files that name bundle images, rendered to catalogs as
// `opm alpha render-template` does it.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/field_reader.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/catalog/write.hpp"
#include "opcat/template/kind.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// Loads the catalogs of references to bundles, in their order; the references are all different. Nothing: the
// bundles stay unknown, as those do whose catalogs say so (bundles_unknown). Its exceptions are passed on.
using LoadBundles =
    std::function<std::optional<std::vector<LoadedCatalog>>(std::span<const std::string> references)>;

// Renders the first document of a file. Without a kind its schema decides. Mistakes in the template, or in
// its bundles, are in the diagnostics; if there are errors, the catalog must not be used. The result of a
// valid template may not be a valid catalog, except for substitutes.
LoadedCatalog render_template(std::unique_ptr<SourceFile> file, std::optional<TemplateKind> kind,
                              const LoadBundles& load_bundles, ThreadPool& pool);

// Returns true if something follows the first document that is not empty. It is left out of the catalog: opm
// reads only the first, in silence.
bool has_other_documents(const SourceFile& file);

// The kind of template that a file is which was loaded as a catalog.
std::optional<TemplateKind> template_in(const LoadedCatalog& loaded);

// Such a file becomes the catalog that it describes, with all findings at places of the template; nothing
// happens to other files. Bundles that are not loaded are unknown (LoadedCatalog::bundles_unknown): of those
// in a basic template only the names are there that its channels have, and a semver template has no channels
// without its bundles.
void open_template(LoadedCatalog& loaded, const LoadBundles& load, ThreadPool& pool);

struct ConvertedTemplate {
    std::string text; // empty if there are errors
    Diagnostics diagnostics;
    bool has_entries = false;
};

// A basic template contains each bundle as its image only, a substitutes template contains the unchanged
// catalog and no substitutions. Byte for byte as `opm alpha convert-template` writes it. `kind` is one of
// these two. `files` are those of the catalog, to which the diagnostics refer.
ConvertedTemplate convert_to_template(std::span<const std::unique_ptr<SourceFile>> files, TemplateKind kind,
                                      Format format);

// A template that has been read; for all kinds.
struct TemplateFile {
    const SourceFile* source;
    std::shared_ptr<CatalogStorage> storage; // with one arena
    Value root;                              // an object

    const SourceFile& file() const { return *source; }
    Arena& arena() const { return storage->arenas.front(); }
    FieldReader fields(Diagnostics& diagnostics) const {
        return {&file(), root, "the template", diagnostics};
    }
};

// A reference to a bundle and its place.
struct BundleReference {
    std::string_view text;
    Location where;
};

// Loads the bundles, each reference once, and returns the bundle of each. Their memory is kept in
// `loaded.catalog.storage`, diagnostics are added to those of `loaded`. Nothing if there are errors (a
// reference must name exactly one bundle), or if they are not to be loaded.
std::optional<std::vector<Bundle>> load_bundles(std::span<const BundleReference> references,
                                                const LoadBundles& load, LoadedCatalog& loaded);

// The blobs below "entries".
void decode_entries(const TemplateFile& file, LoadedCatalog& loaded);

LoadedCatalog render_basic(const TemplateFile& file, const LoadBundles& load);
LoadedCatalog render_semver(const TemplateFile& file, const LoadBundles& load);
// Says who explains why a catalog is not valid: the result, or the caller.
enum class Validity : uint8_t { explained, left_to_caller };
LoadedCatalog render_substitutes(const TemplateFile& file, const LoadBundles& load, Validity validity,
                                 ThreadPool& pool);

} // namespace opcat
