// What OLM v1 would do on a cluster, predicted from the content of its catalogs.
#pragma once

#include "cluster/catalog_content.hpp"
#include "cluster/kubectl.hpp"
#include "cluster/registry_v1.hpp"
#include "resolve/v1/resolver.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat::cluster {

// The bundles that OLM goes through by itself: a range of versions, or none, can lead over several.
struct PredictedPath {
    std::vector<olmv1::Choice> steps; // the first is the resolution's choice; none: unknown
    std::string end;                  // the bundle that it ends at; empty: unknown
};

struct V1Prediction {
    olmv1::Resolution resolution;
    PredictedPath path;
    // What keeps OLM from putting the CustomResourceDefinitions of the path's bundles on the cluster: they
    // belong to somebody else, or the change loses data. In OLM's words.
    std::vector<std::string> problems;
    // Why nothing is known about these definitions; empty if they are known.
    std::string definitions_unknown;
};

// For a ClusterExtension of this name, which need not exist yet. The result refers to `request` and
// `catalogs`. Throws KubectlError.
V1Prediction predict_v1(const Kubectl& kubectl, const std::string& extension, const olmv1::Request& request,
                        const V1Catalogs& catalogs);

// The objects that OLM would make of all bundles of the path. Throws Error.
std::vector<Json> render_path(const PredictedPath& path, const V1Catalogs& catalogs,
                              const RenderOptions& options);

// What a ClusterExtension has installed; nothing if it has not installed anything yet.
std::optional<olmv1::InstalledBundle> installed_of(const Json& extension);

} // namespace opcat::cluster
