// Operators of OLM v1, on their way.
#pragma once

#include "catalog/catalog.hpp"
#include "cluster/registry_v1.hpp"
#include "cluster_flow.hpp"
#include "image_options.hpp"
#include "v1_prediction.hpp"

#include <optional>
#include <string>
#include <vector>

namespace opcat {

// Follows a ClusterExtension until it is as asked for. `bundle`: the one that it is to end at; empty:
// whichever. Says how it ended and returns the exit status.
int follow_v1(const cluster::Kubectl& kubectl, const std::string& extension, const std::string& bundle,
              const FlowFlags& flags, Session& session);

// OLM tries again what has failed, after pauses that grow up to a quarter of an hour: makes it try at once.
void nudge(const cluster::Kubectl& kubectl, const std::string& extension);

// The ClusterExtension that installs this package, whatever its name; or else the one of this name.
std::optional<cluster::Json> find_extension(const cluster::Kubectl& kubectl, const std::string& package);

// The package that a ClusterExtension is for.
std::string package_of(const cluster::Json& extension);

// What a ClusterExtension has installed; nothing if that is nothing yet.
std::optional<olmv1::InstalledBundle> installed_of(const cluster::Json& extension);

// What a ClusterExtension would come to.
struct V1Outlook {
    const cluster::Kubectl& kubectl;
    const std::string& extension;
    const olmv1::Request& request;
    const V1Catalogs& catalogs;
    const olmv1::Resolution& resolution;
};

// Where OLM goes by itself: a range of versions, or none, leads over several bundles.
struct ForetoldWay {
    std::vector<olmv1::Choice> steps; // none: unknown
    std::string end;                  // the bundle that it ends at; empty: unknown
};

// What OLM would make of all bundles on the way. Throws Error.
std::vector<cluster::Json> objects_on(const ForetoldWay& way, const V1Catalogs& catalogs,
                                      const cluster::RenderOptions& options);

// Says it, and what would keep OLM from putting the bundles' CustomResourceDefinitions on the cluster: they
// belong to somebody else, or the change loses data. Nothing, with the exit status set, if OLM would refuse
// and `--force` does not say to go on.
std::optional<ForetoldWay> foretell_v1(const V1Outlook& outlook, const FlowFlags& flags, Session& session);

} // namespace opcat
