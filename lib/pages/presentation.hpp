// A bundle's description for people: the texts of its ClusterServiceVersion, if the catalog has them.
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <string>
#include <utility>
#include <vector>

namespace opcat::pages {

// Texts are unchanged, and empty if missing.
struct Presentation {
    std::string display_name;
    std::string summary;     // one sentence
    std::string description; // Markdown
    std::string provider;
    std::string provider_url;
    std::string maturity;
    std::string min_kube_version;
    std::string capabilities; // "Basic Install" … "Auto Pilot"
    std::string categories;
    std::string repository;
    std::vector<std::string> install_modes; // those that it supports
    std::vector<std::string> keywords;
    std::vector<std::pair<std::string, std::string>> links;       // name, URL
    std::vector<std::pair<std::string, std::string>> maintainers; // name, e-mail address
};

// From the first ClusterServiceVersion among the bundle's manifests, or else from its olm.csv.metadata
// property. Linear in the size of the bundle's properties, which must be decoded: milliseconds for a large
// one.
Presentation presentation_of(const Bundle& bundle);

} // namespace opcat::pages
