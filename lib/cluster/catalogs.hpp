// The content of a cluster's catalogs in the form that the resolvers need, and what OLM classic's package
// server reports about it.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/registry_v1.hpp"
#include "opcat/resolve/classic/snapshot.hpp"
#include "opcat/resolve/v1/resolver.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

// The caller's functions that read catalogs and bundles. Everything that the members refer to must outlive
// the objects that receive this.
struct CatalogAccess {
    // Loads the catalog or the bundle that a reference (usually of an image) names. Throws Error.
    std::function<LoadedCatalog(const std::string& reference)> load;
    ThreadPool& pool;
    // Returns true if an image's reference still resolves to a digest: one request to its registry. Throws
    // Error. May be empty.
    std::function<bool(const std::string& reference, const std::string& digest)> still_names = {};
    // Returns what the registry of a CatalogSource serves on the cluster, in the file-based format; `pods`
    // are those of catalogs that are known. Throws Error. Several threads call it at the same time. May be
    // empty.
    std::function<std::string(const Object& catalog_source, std::span<const Object> pods)> read_served = {};
};

// From the text of `CatalogAccess::read_served`. Throws Error if it is not valid.
LoadedCatalog load_served(const Object& catalog_source, const std::string& text, ThreadPool& pool);

// Returns the name in the cache of a catalog that was read from its registry.
std::string served_reference(const classic::CatalogKey& key);

// The digest of a CatalogSource's image that the cluster serves, if one of the catalog's pods reports it;
// otherwise empty. The registry may have newer content under the same tag.
std::string served_digest(const Object& catalog, std::span<const Object> pods);

// Returns true if a ClusterExtension installs from a ClusterCatalog: its selector selects it, or it has none.
bool selects_catalog(const Object& extension, const Object& catalog);

// The ClusterCatalogs of a cluster with their content.
class V1Catalogs {
public:
    // Reads those that the selector selects: each from its image, or if that fails, from catalogd through the
    // API server. Catalogs of the highest priority are read first; if `is_enough` then holds, those of lower
    // priorities are not read. Throws KubectlError.
    V1Catalogs(const Kubectl& kubectl, const std::optional<kube::LabelSelectorSpec>& selector,
               CatalogAccess access, const std::function<bool(const V1Catalogs&)>& is_enough = {});

    // In the order of their names, as OLM goes through them.
    const std::vector<olmv1::NamedCatalog>& named() const { return named_; }
    // Sentences about where the content came from, or why it is missing.
    const std::vector<std::string>& remarks() const { return remarks_; }
    // Returns true if a relevant catalog could not be read, so that no prediction is certain.
    bool incomplete() const { return incomplete_; }
    // Returns true if the registry has newer content under the catalog's tag than the cluster serves, if the
    // registry answers.
    bool newer_waits(std::string_view catalog) const { return moved_.contains(catalog); }
    // The manifests of a bundle in one of them; read only once. Throws Error.
    const BundleContent& content_of(const Bundle& bundle) const;

private:
    void add(const Kubectl& kubectl, const Object& catalog);
    void note_newer(const Object& catalog);

    CatalogAccess access_;
    mutable std::map<std::string, BundleContent> contents_; // by the bundle's name
    std::deque<olmv1::CatalogIndex> indices_;
    std::vector<olmv1::NamedCatalog> named_;
    std::vector<std::string> remarks_;
    bool incomplete_ = false;
    std::set<std::string, std::less<>> moved_; // catalogs
};

// The deprecations in a catalog that concern this: "package p: text".
std::vector<std::string> deprecations_of(const Catalog& catalog, std::string_view package,
                                         std::string_view channel, std::string_view bundle);

// The deprecations of a choice's package, its channels (the requested ones, or all) and its bundle: "package
// p: text".
std::vector<std::string> deprecations_of(const olmv1::Request& request, const olmv1::Choice& choice);

// An image that is a bundle whose contents OLM does not install, either.
class BrokenBundle : public Error {
public:
    using Error::Error;
};

// The manifests of a bundle: from its catalog, or else from its image. Throws Error, and BrokenBundle if the
// image lacks a ClusterServiceVersion or an owned definition.
BundleContent content_of(const Bundle& bundle, const CatalogAccess& access);

// ---- packages of OLM classic: the package server is some seconds behind the catalogs, and does not report
// edges and dependencies

struct PackageEntry {
    std::string name;
    std::string version;
    std::string deprecation = {}; // empty: it is not deprecated
};

struct PackageChannel {
    std::string name;
    std::string head;
    std::vector<std::string> install_modes; // that the head supports
    std::vector<std::string> crds;          // "widgets.example.com": that the head brings
    std::string min_kube_version;           // that the head accepts; empty: any
    std::string deprecation;
    std::vector<PackageEntry> entries; // empty: an old package server, which reports only the head

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
    // By its version or name, in any channel; nullptr if absent.
    const PackageEntry* entry(std::string_view version_or_name) const;
    bool tells_entries() const;
    // The deprecations of this: "package p: text".
    std::vector<std::string> deprecations(const PackageChannel& channel, std::string_view bundle) const;
    // Returns the deprecations of the package, all of its channels and their heads.
    std::vector<std::string> deprecations() const;
};

// The usual CSV name for a version; a CSV name is returned unchanged.
std::string usual_csv_name(const std::string& package, const std::string& version_or_name);

// All that a namespace sees. Throws KubectlError, also if the package server is down, which otherwise looks
// like an empty list.
std::vector<PackageManifest> list_packages(const Kubectl& kubectl, const std::string& ns);
// The same for a scope: each package of a catalog is there at least once.
std::vector<PackageManifest> list_packages(const Kubectl& kubectl, const Scope& scope);

// One package in the catalogs that have it; the package server filters. Throws KubectlError, but for a
// package server that is down.
std::vector<PackageManifest> packages_named(const Kubectl& kubectl, const std::string& ns,
                                            const std::string& package);

} // namespace opcat::cluster
