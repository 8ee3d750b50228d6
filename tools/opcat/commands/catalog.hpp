// What the commands `opcat catalog …` share.
#pragma once

#include "catalog_options.hpp"
#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "form.hpp"
#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

class Session;

struct CatalogOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    std::string name;
    std::string image;
    std::string image_template;
    std::string poll;
    std::optional<int64_t> priority;
    Form output = Form::table;
    ImageFlags images;
    bool no_check = false;
    bool only_available = false;
};

// The catalog of this name, of either OLM.
struct FoundCatalog {
    cluster::Olm olm = cluster::Olm::classic;
    cluster::Object object;
};
// One, or none. Throws RequestError if several have the name, and KubectlError.
std::vector<FoundCatalog> find_catalogs(const CatalogOptions& options, const Connection& connection);

// Throws Error if the catalog is gone, or another one has its name now: it is not the one that was shown.
void require_same(const FoundCatalog& found, const cluster::Kubectl& kubectl);

// What happens to a catalog.
enum class CatalogChange : uint8_t { removed, disabled, enabled };

struct CatalogUsers {
    std::vector<std::string> sentences; // what the change means for each of them
    bool are_harmed = false;            // one of them gets no upgrades any more, or others
    bool may_be_harmed = false;         // that is so for some whom the user may not see
};
// Who installs from the catalog. Warns of what may not be listed.
CatalogUsers users_of(const FoundCatalog& found, CatalogChange change, const cluster::Kubectl& kubectl,
                      const Session& session);
// Asks about a change of a catalog that is in use, or may be; `doing` is "removing". False, with the exit
// status set, if the user does not want it.
bool may_change(const CatalogUsers& users, std::string_view doing, const FlowFlags& flow, Session& session);

// spec.availabilityMode of a ClusterCatalog.
inline constexpr const char* unavailable_mode = "Unavailable";
bool is_available(const cluster::Object& cluster_catalog);
// A ClusterCatalog that is disabled is neither read nor served. False then, with a message and the exit
// status.
bool require_enabled(const cluster::Object& catalog, Session& session);

// The default namespace of CatalogSources, where all namespaces see them.
std::string namespace_for_catalogs(const CatalogOptions& options, const Connection& connection);

std::vector<cluster::Object> pods_of(const cluster::Kubectl& kubectl, const std::string& ns,
                                     const std::string& name);
// The digest that a CatalogSource's pod serves; empty if unknown.
std::string content_of_pods(const cluster::Kubectl& kubectl, const std::string& ns, const std::string& name);

// Returns true if what the cluster says about a catalog is from after a change: until OLM has made the pod of
// a CatalogSource again, it says what it knows of the old one.
using Renewed = std::function<bool(const cluster::Kubectl&)>;
Renewed has_new_pod(std::vector<cluster::Object> old_pods, const std::string& ns, const std::string& name);

// Waits until the catalog is ready, or clearly will not be; returns the exit status. `renewed` may be empty;
// `old_content` is the image's digest before a refresh.
int follow_catalog(const cluster::Kubectl& kubectl, cluster::Olm olm, const std::string& ns,
                   const std::string& name, const FlowFlags& flags, Session& session,
                   const Renewed& renewed = {}, const std::string& old_content = {});

// `opcat catalog add`.
void add_one_catalog(const CatalogOptions& options, Session& session);

// `opcat catalog enable` and `disable`: spec.availabilityMode of a ClusterCatalog.
void set_availability(const CatalogOptions& options, bool available, Session& session);

} // namespace opcat
