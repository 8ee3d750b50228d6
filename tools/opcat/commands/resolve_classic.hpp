// The parts of `opcat resolve classic`.
#pragma once

#include "catalog/load.hpp"
#include "image_options.hpp"
#include "resolve/classic/resolve.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace opcat {

class Command;
class Session;

void add_resolve_classic(Command resolve, Session& session);

// Answers the requests in a file of JSON Lines, or on standard input for "-" (docs/resolve-classic.md).
void answer_resolve_classic_batch(const std::string& path, const ImageFlags& images, Session& session);

// Catalogs by the REF that names them, each loaded and checked once.
class ClassicShelf {
public:
    ClassicShelf(Session& session, ImageFlags images) : session_(session), images_(std::move(images)) {}

    // Images are pulled side by side.
    void load(const std::vector<std::string>& references);

    // As a CatalogSource of this name would serve it. A catalog that opm refuses is not served.
    classic::AvailableCatalog catalog(const classic::CatalogKey& key, const std::string& reference);

    // What is wrong with a catalog; empty if it is served.
    const Diagnostics& findings(const std::string& reference);

private:
    struct Loaded {
        Catalog catalog;
        Diagnostics findings; // errors only
    };
    const Loaded& loaded(const std::string& reference);

    Session& session_;
    ImageFlags images_;
    std::map<std::string, Loaded> loaded_;
    std::map<std::pair<std::string, classic::CatalogKey>, std::shared_ptr<const classic::Snapshot>>
        snapshots_;
};

// Where the catalogs are that all namespaces see. Which namespace that is is a setting of OLM that no object
// tells: one of the usual ones that has some, or else the first that is not `ns`, or else `ns`.
std::string likely_global_namespace(const classic::ClusterState& cluster, const std::string& ns);

// What OLM says about a catalog whose registry does not answer.
std::string unreachable_catalog(std::string_view address);

} // namespace opcat
