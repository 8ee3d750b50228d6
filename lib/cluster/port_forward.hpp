// A connection from this machine to a server that runs in the cluster, through kubectl port-forward.
#pragma once

#include "opcat/base/process.hpp"
#include "opcat/cluster/kubectl.hpp"

#include <optional>
#include <span>
#include <string>

namespace opcat::cluster {

struct ForwardTarget {
    std::string ns;
    std::string resource; // "pod/people-x7k2p" or "service/people"
    std::string port;
};

// The registry of a CatalogSource: a pod of it that runs, if these are known; or else the Service that OLM
// connects to. Nothing if its address is not in the cluster.
std::optional<ForwardTarget> registry_of(const Object& catalog_source, std::span<const Object> pods);

// Open until the end of the object. Other users of this machine can connect, too.
class PortForward {
public:
    // Throws Error if there is none within the time of one call of kubectl: the user may not forward ports,
    // or the Service has no pod that runs.
    PortForward(const Kubectl& kubectl, const ForwardTarget& target);

    // On the loopback address.
    const std::string& port() const { return port_; }

private:
    RunningProgram program_;
    std::string port_;
};

} // namespace opcat::cluster
