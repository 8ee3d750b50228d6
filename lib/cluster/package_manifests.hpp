// What OLM classic's package server tells of the catalogs that a namespace sees. It lags behind the catalogs
// by some seconds, and knows no edges and no dependencies.
#pragma once

#include "cluster/kubectl.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

struct PackageEntry {
    std::string name;
    std::string version;
};

struct PackageChannel {
    std::string name;
    std::string head;
    std::vector<std::string> install_modes; // that the head supports
    std::vector<std::string> crds;          // "widgets.example.com": that the head brings
    std::vector<PackageEntry> entries;      // none: an old package server, which tells the head alone

    // "1.0.0, 1.1.0", for people: of many, the first ones.
    std::string versions() const;
};

struct PackageManifest {
    std::string package;
    std::string catalog;
    std::string catalog_ns;
    std::string default_channel;
    std::string display_name;
    std::string provider;
    std::string deprecation;
    std::vector<PackageChannel> channels;

    const PackageChannel* channel(std::string_view name) const;
    // By its version or its name, in whichever channel; nullptr if there is none.
    const PackageEntry* entry(std::string_view version_or_name) const;
    bool tells_entries() const;
};

// All that a namespace sees. Throws KubectlError, also where the package server is down, which otherwise
// looks as if there were none.
std::vector<PackageManifest> list_packages(const Kubectl& kubectl, const std::string& ns);

} // namespace opcat::cluster
