#include "findings.hpp"
#include "references.hpp"
#include "resolve.hpp"
#include "resolve/v1/load_failure.hpp"
#include "session.hpp"
#include "support/error.hpp"

#include <filesystem>

namespace opcat {
namespace {

std::unique_ptr<olmv1::CatalogIndex> load_or_failure(const std::string& reference, Session& session) {
    try {
        LoadedCatalog loaded = load_references({reference}, session);
        if (!loaded.diagnostics.empty())
            return std::make_unique<olmv1::CatalogIndex>(olmv1::load_failure(loaded.diagnostics));
        return std::make_unique<olmv1::CatalogIndex>(std::move(loaded.catalog));
    } catch (const Error& error) {
        std::error_code ignored;
        // What OLM's file system says about a directory that is not there.
        if (!std::filesystem::exists(reference, ignored))
            return std::make_unique<olmv1::CatalogIndex>(std::string("stat .: no such file or directory"));
        return std::make_unique<olmv1::CatalogIndex>(std::string(error.what()));
    }
}

} // namespace

const olmv1::CatalogIndex& CatalogShelf::index_or_failure(const std::string& reference) {
    std::unique_ptr<olmv1::CatalogIndex>& index = indices_[reference];
    if (!index) index = load_or_failure(reference, session_);
    return *index;
}

const olmv1::CatalogIndex* CatalogShelf::index_or_findings(const std::string& reference) {
    std::unique_ptr<olmv1::CatalogIndex>& index = indices_[reference];
    if (index) return index.get();
    LoadedCatalog loaded = load_references({reference}, session_);
    if (!loaded.diagnostics.empty()) {
        print_findings(loaded.diagnostics, session_);
        return nullptr;
    }
    index = std::make_unique<olmv1::CatalogIndex>(std::move(loaded.catalog));
    return index.get();
}

} // namespace opcat
