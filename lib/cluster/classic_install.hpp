// Planning the installation of an operator with OLM classic: which catalog, channel and bundle, which
// OperatorGroup, and what keeps it from working.
#pragma once

#include "opcat/cluster/prediction.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::cluster {

struct ClassicInstallRequest {
    std::string package;
    std::string channel = {};            // empty: the package's default
    std::string version = {};            // or the bundle's name; empty: the channel's head
    std::string catalog = {};            // NAME or NAMESPACE/NAME; empty: the one that has the package
    std::vector<std::string> watch = {}; // namespaces
    bool all_namespaces = false;         // watch all of them
    bool create_group = false;           // make an OperatorGroup in a namespace that exists
    std::optional<bool> manual = {};     // who approves; nothing: as it is, or automatically
};

// What would help against an obstacle: the caller knows how that is asked for.
enum class Remedy : uint8_t {
    none,
    as_told,             // `help` says it
    name_catalog,        // of several
    search_packages,     // or name a catalog whose contents are not known yet
    add_catalog,         // or choose one that is there
    install_elsewhere,   // in namespace `ns`, which sees the catalog that `help` names
    choose_channel,      // `help` says where the version is
    create_group,        // an OperatorGroup
    choose_namespaces,   // to watch
    uninstall_extension, // `help` is the ClusterExtension that owns a definition
    uninstall_set,       // `help` is the set of objects without OLM that owns a definition
    upgrade,             // it is installed already, with other settings
    uninstall,           // what is left of an earlier installation
};

struct Obstacle {
    std::string message;
    std::string help = {};
    Remedy remedy = Remedy::as_told;
    std::string ns = {};
};

// The request leaves something open.
class OpenRequest : public RequestError {
public:
    explicit OpenRequest(Obstacle obstacle)
        : RequestError(obstacle.message), obstacle_(std::move(obstacle)) {}
    const Obstacle& obstacle() const { return obstacle_; }

private:
    Obstacle obstacle_;
};

struct ClassicInstallPlan {
    std::vector<Object> wanted; // in the order in which they are applied
    ClassicPrediction prediction;
    std::vector<Obstacle> obstacles; // why it would not work, besides the prediction
    bool manual = false;             // InstallPlans wait for approval
    std::string goal;                // the CSV that it ends at; empty: unknown
};

// Changes nothing. `warn` is called with what could not be read. Throws KubectlError, OpenRequest, and Error
// for a namespace that is being deleted.
ClassicInstallPlan plan_classic_install(const Kubectl& kubectl, const std::string& ns,
                                        const ClassicInstallRequest& request, const CatalogAccess& access,
                                        const std::function<void(const std::string&)>& warn);

} // namespace opcat::cluster
