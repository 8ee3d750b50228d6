#include "references.hpp"

#include "bundle/bundle_directory.hpp"
#include "legacy_index/legacy_index.hpp"
#include "session.hpp"
#include "support/error.hpp"

#include <iterator>

namespace opcat {
namespace {

LoadedCatalog load_reference(const std::string& reference, Session& session,
                             const ReferenceOptions& options) {
    const std::filesystem::path path(reference);
    if (is_bundle_directory(path))
        return load_bundle_directory(path, {.image = {}, .image_template = options.image_template});
    if (std::filesystem::is_regular_file(path)) {
        if (is_legacy_index(path)) return load_legacy_index(path, session.pool());
        // opcat takes a file of a catalog for a catalog; to opm it is nothing.
        if (session.as_opm())
            throw UsageError("cannot render " + reference + ": a file must be an index database");
    }
    return load_catalog(path, session.pool());
}

} // namespace

LoadedCatalog load_references(const std::vector<std::string>& references, Session& session,
                              const ReferenceOptions& options) {
    LoadedCatalog all;
    for (const std::string& reference : references) {
        LoadedCatalog loaded = load_reference(reference, session, options);
        append(all.catalog, std::move(loaded.catalog));
        all.diagnostics.insert(all.diagnostics.end(), std::make_move_iterator(loaded.diagnostics.begin()),
                               std::make_move_iterator(loaded.diagnostics.end()));
    }
    return all;
}

} // namespace opcat
