#include "cluster_flags.hpp"

#include "command.hpp"
#include "input.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/catalogs.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "terminal/session.hpp"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>

namespace opcat {
namespace {

namespace fs = std::filesystem;

// If KUBECONFIG names no existing file, kubectl asks localhost:8080, and its error is misleading.
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

void add_cluster_flags(Command command, ClusterFlags& flags, bool olm, const std::string& without_namespace) {
    command.add_option("-n,--namespace NAMESPACE", flags.ns,
                       "The namespace (default: " + without_namespace + ")");
    if (olm)
        command.add_choice("--olm", flags.olm,
                           {{"auto", std::nullopt},
                            {"classic", cluster::Olm::classic},
                            {"v1", cluster::Olm::v1},
                            {"none", cluster::Olm::none}},
                           "Which OLM to work with: classic, v1, none, or auto (the installed one)");
    add_connection_flags(command, flags);
}

void add_connection_flags(Command command, ClusterFlags& flags) {
    command.add_option("--kubectl PATH", flags.kubectl, "The kubectl to run");
    command.add_option("--kubeconfig FILE", flags.kubeconfig, "The kubeconfig to use");
    command.add_option("--context NAME", flags.context, "The kubeconfig's context to use");
    command.add_option("--as USER", flags.as, "The user to act as");
    command
        .add_option("--request-timeout", flags.call_timeout, "How long to wait for one answer of the cluster")
        .duration()
        .show_default();
}

Connection connect(const ClusterFlags& flags, const Session& session) {
    check_kubeconfig(flags);
    if (!flags.ns.empty()) cluster::require_namespace(flags.ns);
    cluster::KubectlOptions options;
    options.program = flags.kubectl;
    options.kubeconfig = flags.kubeconfig;
    options.in_pod = std::getenv("KUBERNETES_SERVICE_HOST") != nullptr;
    options.context = flags.context;
    options.as = flags.as;
    options.call_timeout = *duration_of(flags.call_timeout);
    options.on_outage = [&session](const std::string& what) { session.print_warning(what); };
    cluster::Kubectl kubectl(std::move(options));
    std::string ns = kubectl.current_namespace();
    if (!flags.ns.empty()) ns = flags.ns;
    const cluster::Served served = cluster::Served::of(kubectl.api_groups());
    return {std::move(kubectl), served, std::move(ns)};
}

std::string hint_for(const cluster::Failure& failure) {
    using cluster::FailureKind;
    const auto says = [&](const char* part) { return failure.message.find(part) != std::string::npos; };
    switch (failure.kind) {
    case FailureKind::forbidden:
        return "ask an administrator of the cluster for this right, or use another context (--context) or "
               "user "
               "(--as); docs/cluster.md lists what each command needs";
    case FailureKind::unauthorized:
        return "log in again, or use another context (--context)";
    case FailureKind::unreachable:
        return "check the server of the kubeconfig's context, the network and the cluster";
    case FailureKind::configuration:
        return "kubectl config get-contexts lists the contexts; --kubeconfig (or KUBECONFIG) and --context "
               "choose one";
    case FailureKind::terminating:
        return "wait until it is gone (kubectl get namespaces), then try again";
    case FailureKind::conflict:
        return says("Apply failed with")
                   ? "another manager owns these fields; --force-conflicts takes them over"
                   : "";
    case FailureKind::program:
        return "install kubectl (Debian: kubernetes-client), or name it with --kubectl";
    default:
        return {};
    }
}

std::string hint_for(const cluster::Obstacle& obstacle, const std::string& package, const std::string& ns) {
    using cluster::Remedy;
    switch (obstacle.remedy) {
    case Remedy::as_told:
        return obstacle.help;
    case Remedy::name_catalog:
        return "choose one with --catalog";
    case Remedy::name_catalog_alone:
        return "--catalog takes only its name";
    case Remedy::search_packages:
        return "opcat search -n " + ns +
               " lists the packages; --catalog names a catalog whose contents are not known yet";
    case Remedy::add_catalog:
        return "opcat catalog list shows the catalogs, opcat catalog add makes one";
    case Remedy::repair_catalog: {
        const size_t slash = obstacle.help.find('/');
        return fmt::format("opcat catalog list shows why; repair it, or opcat catalog remove {} -n {}",
                           obstacle.help.substr(slash + 1), obstacle.help.substr(0, slash));
    }
    case Remedy::install_elsewhere:
        return fmt::format(
            "it does not see {}: install with -n {}, or add the catalog where all namespaces see it",
            obstacle.help, obstacle.ns);
    case Remedy::choose_channel:
        return obstacle.help + ": choose with --channel";
    case Remedy::name_channel:
        return "--channel names one, --any-channel takes all";
    case Remedy::create_group:
        return "--create-operator-group makes one";
    case Remedy::choose_namespaces:
        return "choose with --watch-namespace or --all-namespaces";
    case Remedy::choose_several_namespaces:
        return "name the namespaces to watch: --watch-namespace A --watch-namespace B";
    case Remedy::choose_one_namespace:
        return "--watch-namespace names the one to watch";
    case Remedy::choose_namespace:
        return "choose the namespace with -n; opcat status lists what is installed";
    case Remedy::list_installed:
        return "opcat status lists what is installed";
    case Remedy::uninstall_extension:
        return fmt::format("opcat uninstall {} --olm v1 first, which deletes its custom resources",
                           obstacle.help);
    case Remedy::uninstall_set:
        return fmt::format(
            "opcat uninstall {} --olm none --delete-crds first, which deletes its custom resources",
            obstacle.help);
    case Remedy::upgrade:
        return fmt::format(
            "opcat upgrade {} -n {} --channel ... or --to ... moves it; opcat uninstall removes it", package,
            ns);
    case Remedy::uninstall:
        return fmt::format("opcat uninstall {} -n {} deletes it", package, ns);
    case Remedy::uninstall_other_package:
        return fmt::format("opcat uninstall {} removes it", package);
    case Remedy::reinstall:
        return fmt::format("opcat uninstall {0} -n {1}, then opcat install {0} -n {1} --version {2}; custom "
                           "resources stay",
                           package, ns, obstacle.help);
    case Remedy::keep_place:
        return fmt::format("opcat uninstall {} first, which deletes its custom resources; or -n {}{}",
                           obstacle.help, obstacle.ns,
                           obstacle.account.empty() ? "" : " --service-account " + obstacle.account);
    case Remedy::name_account:
        return "name another with --service-account, or leave out --rbac none";
    case Remedy::grant_rights:
        return "--rbac cluster-admin gives all rights, --rbac none leaves them to you";
    case Remedy::grant_missing:
        return "grant them to the account, or leave out --rbac none: then opcat does";
    case Remedy::name_bundle:
        return "name a bundle (directory or image), or a package and --catalog REF";
    case Remedy::take_over:
        return "another operator or OLM brought it; --force takes it over";
    case Remedy::choose_olm:
        return "say which one goes: --olm classic, v1 or none";
    case Remedy::delete_operands:
        return "add --delete-operands if that is meant";
    case Remedy::keep_groups:
        return "leave out --delete-operator-groups";
    case Remedy::keep_rights:
        return "--service-account names an account that has the rights, with --rbac none";
    case Remedy::delete_shared:
        return "leave out --delete-crds and --delete-operands; --force deletes them nevertheless";
    case Remedy::uninstall_users:
        return "uninstall what needs it first; --force uninstalls it nevertheless";
    }
    return {};
}

bool can_ask() {
    return ::isatty(0) && ::isatty(2);
}

namespace {

std::string answer_to(const Session& session, const std::string& question) {
    // Text that was typed before the question is not an answer to it.
    ::tcflush(0, TCIFLUSH);
    session.print(question);
    std::string answer;
    std::getline(std::cin, answer);
    return answer;
}

} // namespace

bool confirm(const Session& session, const std::string& question) {
    const std::string answer = answer_to(session, question + " [y/N] ");
    return answer == "y" || answer == "Y" || answer == "yes";
}

void require_terminal(std::string_view what, const char* hint) {
    if (!can_ask())
        throw RequestError(fmt::format("{} must be confirmed, and there is no terminal to ask on", what),
                           hint);
}

bool agreed(Session& session, std::string_view what, const std::string& question, const char* hint) {
    require_terminal(what, hint);
    return confirm(session, question) || decline(session);
}

bool type_number(const Session& session, const std::string& question, size_t number) {
    return answer_to(session, question + ": ") == std::to_string(number);
}

bool decline(Session& session) {
    session.print("nothing was changed\n");
    session.exit_status = exit_findings;
    return false;
}

using namespace cluster;

namespace {

// For this user, objects that may not be read do not exist.
bool seen(const std::function<bool()>& look, std::exception_ptr* forbidden = nullptr) {
    try {
        return look();
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        if (forbidden) *forbidden = std::current_exception();
        return false;
    }
}

struct InstalledIn {
    bool classic = false;
    bool v1 = false;
    std::exception_ptr classic_forbidden = nullptr; // to be looked at
    std::exception_ptr v1_forbidden = nullptr;
};

InstalledIn installed(const Connection& connection, const std::string& package) {
    require_name("packages", package);
    const Kubectl& kubectl = connection.kubectl;
    InstalledIn there;
    kubectl.together({[&] {
                          there.classic = seen(
                              [&] {
                                  const std::vector<Object> all =
                                      kubectl.list(resource::subscriptions, Scope::in(connection.ns));
                                  return std::any_of(all.begin(), all.end(), [&](const Object& subscription) {
                                      return subscription.text("spec", "name") == package;
                                  });
                              },
                              &there.classic_forbidden);
                      },
                      [&] {
                          there.v1 = seen([&] { return find_extension(kubectl, package).has_value(); },
                                          &there.v1_forbidden);
                      }});
    return there;
}

bool is_open(const Connection& connection, const ClusterFlags& flags) {
    return connection.served.classic && connection.served.v1 && !flags.olm;
}

// The catalogs of OLM classic that have the package, and the catalogs of OLM v1, whose content is not known
// before they are pulled.
std::string catalogs_with(const Connection& connection, const std::string& package) {
    std::string classic;
    seen([&] {
        for (const PackageManifest& manifest : packages_named(connection.kubectl, connection.ns, package))
            classic +=
                fmt::format("{}{}/{}", classic.empty() ? "" : ", ", manifest.catalog_ns, manifest.catalog);
        return true;
    });
    return fmt::format(
        "--olm classic: {} {}; --olm v1: opcat search {} --olm v1 lists the catalogs that have it",
        classic.empty() ? "no catalog has" : classic + " has", package, package);
}

} // namespace

Olm choose(const Served& served, std::optional<Olm> wanted) {
    if (wanted == Olm::classic && !served.classic)
        throw Error("the cluster has no OLM classic: it does not serve the API group operators.coreos.com",
                    served.v1 ? "it has OLM v1: use --olm v1" : "--olm none installs without OLM");
    if (wanted == Olm::v1 && !served.v1)
        throw Error("the cluster has no OLM v1: it does not serve the API group olm.operatorframework.io",
                    served.classic ? "it has OLM classic: use --olm classic"
                                   : "--olm none installs without OLM");
    if (wanted) return *wanted;
    if (served.classic && served.v1)
        throw RequestError("the cluster has both OLM classic and OLM v1",
                           "say which one is meant: --olm classic or --olm v1");
    if (!served.classic && !served.v1)
        throw Error("the cluster has no OLM: it serves neither the API group operators.coreos.com (OLM "
                    "classic) nor olm.operatorframework.io (OLM v1)",
                    "--olm none installs the bundle's own manifests without OLM");
    return served.classic ? Olm::classic : Olm::v1;
}

Served narrowed(Served served, std::optional<Olm> wanted) {
    if (!wanted) return served;
    choose(served, wanted);
    served.classic = served.classic && wanted == Olm::classic;
    served.v1 = served.v1 && wanted == Olm::v1;
    return served;
}

Olm olm_for_install(const Connection& connection, const ClusterFlags& flags, const std::string& package) {
    if (!is_open(connection, flags)) return choose(connection.served, flags.olm);
    const InstalledIn there = installed(connection, package);
    if (there.classic != there.v1) return there.classic ? Olm::classic : Olm::v1;
    // Who may not even read its objects installs nothing with OLM v1: that takes rights on the whole cluster.
    if (there.v1_forbidden && !there.classic) return Olm::classic;
    throw RequestError("the cluster has both OLM classic and OLM v1", catalogs_with(connection, package));
}

Olm olm_of_installed(const Connection& connection, const ClusterFlags& flags, const std::string& package) {
    if (!is_open(connection, flags)) return choose(connection.served, flags.olm);
    const InstalledIn there = installed(connection, package);
    if (there.classic != there.v1) return there.classic ? Olm::classic : Olm::v1;
    if (there.classic)
        throw RequestError(fmt::format("{} is installed by both OLM classic and OLM v1", package),
                           "say which one is meant: --olm classic or --olm v1");
    for (const std::exception_ptr& forbidden : {there.classic_forbidden, there.v1_forbidden})
        if (forbidden) std::rethrow_exception(forbidden);
    throw RequestError(fmt::format("{} is installed neither by OLM classic in namespace {} nor by OLM v1",
                                   package, connection.ns),
                       "choose the namespace with -n; opcat status lists what is installed");
}

} // namespace opcat
