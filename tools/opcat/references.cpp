#include "references.hpp"

#include "session.hpp"

#include <iterator>

namespace opcat {

LoadedCatalog load_references(const std::vector<std::string>& references, Session& session) {
    LoadedCatalog all;
    for (const std::string& reference : references) {
        LoadedCatalog loaded = load_catalog(std::filesystem::path(reference), session.pool());
        append(all.catalog, std::move(loaded.catalog));
        all.diagnostics.insert(all.diagnostics.end(), std::make_move_iterator(loaded.diagnostics.begin()),
                               std::make_move_iterator(loaded.diagnostics.end()));
    }
    return all;
}

} // namespace opcat
