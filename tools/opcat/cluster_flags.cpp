#include "cluster_flags.hpp"

#include "base/error.hpp"
#include "command.hpp"
#include "input.hpp"
#include "terminal/session.hpp"

#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// A KUBECONFIG that names no file at all makes kubectl ask localhost:8080, which explains nothing.
void check_kubeconfig(const ClusterFlags& flags) {
    const char* const variable = std::getenv("KUBECONFIG");
    if (!flags.kubeconfig.empty() || !variable || !*variable) return;
    std::string_view paths = variable;
    std::error_code ignored;
    while (!paths.empty()) {
        const std::string_view path = paths.substr(0, paths.find(':'));
        paths.remove_prefix(std::min(path.size() + 1, paths.size()));
        if (!path.empty() && fs::exists(path, ignored) && fs::file_size(path, ignored) > 0) return;
    }
    throw Error(
        fmt::format("cannot use the kubeconfig {} that KUBECONFIG names: it does not exist or is empty",
                    variable),
        "name another with --kubeconfig");
}

} // namespace

std::optional<cluster::Olm> ClusterFlags::wanted_olm() const {
    for (const cluster::Olm each : {cluster::Olm::classic, cluster::Olm::v1, cluster::Olm::none})
        if (olm == to_string(each)) return each;
    return std::nullopt;
}

void add_cluster_flags(Command command, ClusterFlags& flags, bool olm, const std::string& without_namespace) {
    command.add_option("-n,--namespace", flags.ns, "The namespace (default: " + without_namespace + ")")
        .value_name("NAMESPACE");
    if (olm)
        command
            .add_option("--olm", flags.olm,
                        "Which OLM to work with: classic, v1, none, or auto (the one that is there)")
            .one_of({"auto", "classic", "v1", "none"});
    add_connection_flags(command, flags);
}

void add_connection_flags(Command command, ClusterFlags& flags) {
    command.add_option("--kubectl", flags.kubectl, "The kubectl to run").value_name("PATH");
    command.add_option("--kubeconfig", flags.kubeconfig, "The kubeconfig to use").value_name("FILE");
    command.add_option("--context", flags.context, "The kubeconfig's context to use").value_name("NAME");
    command.add_option("--as", flags.as, "The user to act as").value_name("USER");
    command
        .add_option("--request-timeout", flags.call_timeout, "How long to wait for one answer of the cluster")
        .duration()
        .show_default();
}

Connection connect(const ClusterFlags& flags) {
    check_kubeconfig(flags);
    if (!flags.ns.empty()) cluster::require_namespace(flags.ns);
    cluster::KubectlOptions options;
    options.program = flags.kubectl;
    options.kubeconfig = flags.kubeconfig;
    options.context = flags.context;
    options.as = flags.as;
    options.call_timeout = *duration_of(flags.call_timeout);
    cluster::Kubectl kubectl(std::move(options));
    const cluster::Served served = cluster::Served::of(kubectl.api_groups());
    std::string ns = flags.ns.empty() ? kubectl.current_namespace() : flags.ns;
    return {std::move(kubectl), served, std::move(ns)};
}

bool can_ask() {
    return ::isatty(0) && ::isatty(2);
}

bool confirm(const Session& session, const std::string& question) {
    // What was typed before the question is no answer to it.
    ::tcflush(0, TCIFLUSH);
    session.print(question + " [y/N] ");
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

} // namespace opcat
