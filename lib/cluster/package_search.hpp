// Packages of a cluster's catalogs, by parts of their names.
#pragma once

#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/state.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

// One version of a package.
struct HitVersion {
    std::string version; // as it is written; empty: not known
    std::string bundle;
    std::vector<std::string> channels;
    bool deprecated = false;
};

// A package that a catalog of the cluster has.
struct Hit {
    std::string package;
    std::string catalog; // OLM classic: "namespace/name"
    Olm olm;
    std::string channel; // the default one; OLM v1 has none
    std::string head;    // what is installed by default; empty: nothing
    std::string title;
    std::vector<std::string> channels;
    std::vector<std::string> deprecations; // of the package, its default channel and its head
    std::vector<HitVersion> versions = {}; // the newest first, those that cannot be read last
};

// Those of OLM classic whose name, or the name that is shown, contains the word, in any case. An empty word
// finds all. `with_versions`: the hits have all versions.
std::vector<Hit> find_packages(std::span<const PackageManifest> manifests, std::string_view word,
                               bool with_versions);
// Those of OLM v1, by their names.
std::vector<Hit> find_packages(std::span<const olmv1::NamedCatalog> catalogs, std::string_view word,
                               bool with_versions);

// By package, and then by catalog.
void sort_hits(std::vector<Hit>& hits);

// The rows of tables (base/table.hpp), with titles: of packages, whose default channel has a "*", or of their
// versions. Control characters are escaped.
std::string hits_as_rows(std::span<const Hit> hits);
std::string versions_as_rows(std::span<const Hit> hits);

// The document of schema "opcat.search.v1" (docs/json-output.md).
nlohmann::ordered_json hits_as_json(std::span<const Hit> hits, bool with_versions);

} // namespace opcat::cluster
