// The flags of all commands that talk to a cluster, and what they make.
#pragma once

#include "cluster/generation.hpp"
#include "cluster/kubectl.hpp"

#include <optional>
#include <string>

namespace opcat {

class Command;
class Session;

struct ClusterFlags {
    std::string kubectl = "kubectl";
    std::string kubeconfig;
    std::string context;
    std::string as;
    std::string ns;
    std::string olm = "auto";
    std::string call_timeout = "30s";

    std::optional<cluster::Olm> wanted_olm() const;
};

// `flags` is filled when the command line is parsed, and must live as long as the command. Without `olm`
// there is no flag --olm. `without_namespace` says what the command looks at when none is given.
void add_cluster_flags(Command command, ClusterFlags& flags, bool olm = true,
                       const std::string& without_namespace = "that of the kubeconfig's context");

// The same without --namespace and --olm.
void add_connection_flags(Command command, ClusterFlags& flags);

// A cluster that a command works with.
struct Connection {
    cluster::Kubectl kubectl;
    cluster::Served served;
    // Of -n, or else of the kubeconfig's context.
    std::string ns;
};
// Asks the cluster what it serves. Throws UsageError, KubectlError.
Connection connect(const ClusterFlags& flags);

// Whether standard input and standard error are a terminal.
bool can_ask();
// Asks there; anything but yes is no.
bool confirm(const Session& session, const std::string& question);

} // namespace opcat
