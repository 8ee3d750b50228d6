// The flags of all commands that talk to a cluster, and the connections made from them.
#pragma once

#include "opcat/cluster/changes.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/state.hpp"

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
    std::optional<cluster::Olm> olm; // nothing: the installed one
    std::string call_timeout = "30s";
};

// `flags` is filled when the command line is parsed, and must live as long as the command. Without `olm`
// there is no flag --olm. `without_namespace` describes the default of --namespace.
void add_cluster_flags(Command command, ClusterFlags& flags, bool olm = true,
                       const std::string& without_namespace = "that of the kubeconfig's context");

// The same without --namespace and --olm.
void add_connection_flags(Command command, ClusterFlags& flags);

// A connection to a cluster.
struct Connection {
    cluster::Kubectl kubectl;
    cluster::Served served;
    // Of -n, or else of the kubeconfig's context.
    std::string ns;
};
// Asks the cluster which APIs it serves. Warns the session's user while the cluster is unavailable; `session`
// must outlive the connection. Throws RequestError, KubectlError.
Connection connect(const ClusterFlags& flags, const Session& session);

// The help for a failure of kubectl; may be empty.
std::string hint_for(const cluster::Failure& failure);

// The help for an obstacle to an operation on a package in a namespace, as flags and commands.
std::string hint_for(const cluster::Obstacle& obstacle, const std::string& package, const std::string& ns);

// The result of `call`. An obstacle that it throws gets its hint.
template <typename Call>
decltype(auto) with_hints(const std::string& package, const std::string& ns, const Call& call) {
    try {
        return call();
    } catch (const cluster::OpenRequest& error) {
        throw RequestError(error.what(), hint_for(error.obstacle(), package, ns));
    } catch (const cluster::BlockedChange& error) {
        throw Error(error.what(), hint_for(error.obstacle(), package, ns));
    }
}

// Returns true if standard input and standard error are a terminal.
bool can_ask();
// Throws RequestError if nobody can be asked about `what`, the subject of "must be confirmed".
void require_terminal(std::string_view what, const char* hint = "add --yes");
// Asks about it, and says that nothing was changed if the user does not want it.
bool agreed(Session& session, std::string_view what, const std::string& question = "Go on?",
            const char* hint = "add --yes");
// Asks the user; anything but yes is no.
bool confirm(const Session& session, const std::string& question);
// The same, with a number to type.
bool type_number(const Session& session, const std::string& question, size_t number);
// For a change that the user does not want: says that nothing was changed, and sets exit status 1. Returns
// false.
bool decline(Session& session);

// Which OLM a command uses if a cluster has both.

// The wanted one, or the only one. Throws RequestError if there are both and none is wanted, and Error if the
// wanted one, or any at all, is missing.
cluster::Olm choose(const cluster::Served& served, std::optional<cluster::Olm> wanted);

// Without the other OLM, if one is wanted. Throws Error if that is missing.
cluster::Served narrowed(cluster::Served served, std::optional<cluster::Olm> wanted);

// The wanted one, or the only one, or the one that has the package installed (OLM classic: in the
// connection's namespace). Throws RequestError, with what is known, if that is ambiguous.
cluster::Olm olm_for_install(const Connection& connection, const ClusterFlags& flags,
                             const std::string& package);
// The same for a package that must be installed.
cluster::Olm olm_of_installed(const Connection& connection, const ClusterFlags& flags,
                              const std::string& package);

} // namespace opcat
