// What CatalogSources of OLM classic serve, from references.
#pragma once

#include "opcat/resolve/classic/resolve.hpp"
#include "opcat/workspace/open.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace opcat {

// Catalogs by reference: each is opened, checked and prepared for a CatalogSource once.
class ClassicSources {
public:
    // `pool` must outlive this.
    ClassicSources(OpenOptions options, ThreadPool& pool) : options_(std::move(options)), pool_(pool) {}

    // Opens those that are not open yet, images side by side. Throws as open_each() does.
    void open(const std::vector<std::string>& references);

    // As the CatalogSource of this key serves it. Throws as open() does.
    classic::AvailableCatalog catalog(const classic::CatalogKey& key, const std::string& reference);

    // Those because of which it is not served. Throws as open() does.
    const Diagnostics& errors(const std::string& reference);

private:
    struct Checked {
        Source source;
        Diagnostics errors;
    };
    const Checked& checked(const std::string& reference);

    OpenOptions options_;
    ThreadPool& pool_;
    std::map<std::string, Checked> opened_;
    std::map<std::pair<std::string, classic::CatalogKey>, classic::AvailableCatalog> served_;
};

} // namespace opcat
