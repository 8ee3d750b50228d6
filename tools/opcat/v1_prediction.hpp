// What OLM v1 would do on a cluster, foretold from the content of its catalogs.
#pragma once

#include "cluster/kubectl.hpp"
#include "cluster/registry_v1.hpp"
#include "commands/resolve.hpp"
#include "image_options.hpp"
#include "resolve/v1/resolver.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat {

class Session;

// The ClusterCatalogs of a cluster with their content, as `resolve v1` wants them.
class V1Catalogs {
public:
    // `images` and `session` must live as long. Content comes from each catalog's image, or where that is not
    // to be had from here, from catalogd, by way of the API server. `only`: one catalog's name; empty: all.
    V1Catalogs(const cluster::Kubectl& kubectl, const std::string& only, const ImageFlags& images,
               Session& session);

    const std::vector<olmv1::NamedCatalog>& named() const { return named_; }
    // Where content came from, or why there is none.
    const std::vector<std::string>& remarks() const { return remarks_; }
    // The manifests of a bundle of one of them; pulled once. Throws Error.
    const cluster::BundleContent& content_of(const Bundle& bundle) const;
    // Some catalog that counts could not be read: nothing can be foretold for sure.
    bool incomplete() const { return incomplete_; }

private:
    const ImageFlags* images_;
    Session* session_;
    mutable std::map<std::string, cluster::BundleContent> contents_; // by the bundle's name
    std::deque<olmv1::CatalogIndex> indices_;
    std::vector<olmv1::NamedCatalog> named_;
    std::vector<std::string> remarks_;
    bool incomplete_ = false;
};

// The manifests of a bundle: those that its catalog carries, or else its image's. Throws Error.
cluster::BundleContent content_of(const Bundle& bundle, const ImageFlags& images, Session& session);

// Says what the resolution came to: `way` are the bundles that OLM goes through, the first of which is the
// resolution's choice. `possible`: whether nothing else is known to stand in the way. False if OLM would
// refuse.
bool print_v1_prediction(const olmv1::Request& request, const V1Catalogs& catalogs,
                         const olmv1::Resolution& resolution, std::span<const olmv1::Choice> way,
                         bool possible, const Session& session);

} // namespace opcat
