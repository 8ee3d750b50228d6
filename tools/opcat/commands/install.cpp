#include "install.hpp"

#include "base/error.hpp"
#include "command.hpp"
#include "terminal/session.hpp"
#include "which_olm.hpp"

namespace opcat {

using namespace cluster;

void add_install(Command tree, Session& session) {
    const Command command = tree.add_command("install", "Install an operator from a catalog of the cluster");
    const auto options = std::make_shared<InstallOptions>();
    command
        .add_option("PACKAGE", options->package,
                    "The package; with --olm none also a bundle (directory or image)")
        .required();
    command.add_option("--channel", options->channels,
                       "The channel (default: the package's); several only with OLM v1");
    command.add_option("--version", options->version,
                       "The version, or the bundle's name; with OLM v1 a range of versions");
    command
        .add_option(
            "--catalog", options->catalog,
            "The catalog on the cluster, if several have the package; with --olm none any catalog REF")
        .value_name("[NAMESPACE/]NAME");
    command.add_option("--watch-namespace", options->watch, "A namespace for the operator to watch")
        .value_name("NAMESPACE");
    command.add_flag("--all-namespaces", options->all_namespaces, "Let the operator watch all namespaces");
    command
        .add_option("--approval", options->approval,
                    "OLM classic: who approves installs and upgrades, automatic or manual")
        .one_of({"automatic", "manual"});
    command.add_flag("--create-operator-group", options->create_group,
                     "OLM classic: make an OperatorGroup if the namespace, which exists, has none");
    command
        .add_option("--rbac", options->rbac,
                    "OLM v1: rights of the account that installs: derived (the least that the bundle needs), "
                    "cluster-admin, or none (it has them)")
        .one_of({"derived", "cluster-admin", "none"})
        .show_default();
    command
        .add_option("--service-account", options->service_account,
                    "OLM v1: the account that installs (default: PACKAGE-installer)")
        .value_name("NAME");
    command.add_flag("--self-certified", options->self_certified,
                     "OLM v1: allow any version, whatever the catalog's upgrade edges say");
    add_cluster_flags(command, options->cluster);
    add_flow_flags(command, options->flow);
    add_making_flags(command, options->flow);
    add_image_flags(command, options->images);
    command.footer(
        "Before anything is changed, what OLM will do is foretold from the cluster's own state.\n\n"
        "Examples:\n"
        "  opcat install prometheus -n monitoring --channel beta\n"
        "  opcat install prometheus -n monitoring --version 0.50.0 --approval manual --yes\n"
        "  opcat install argocd-operator --olm v1 -n argocd --version '>=0.8.0 <0.9.0' --dry-run\n"
        "  opcat install prometheus -n monitoring -o yaml | kubectl apply -f -\n\n"
        "Exit status: 0 if it is installed, 1 if the cluster says no.");
    command.callback([options, &session] {
        if (options->all_namespaces && !options->watch.empty())
            throw UsageError("--all-namespaces and --watch-namespace exclude each other");
        for (const std::string& ns : options->watch) require_namespace(ns);
        const Connection connection = connect(options->cluster);
        switch (olm_for_install(connection, options->cluster, options->package)) {
        case Olm::classic:
            return install_classic(*options, connection, session);
        case Olm::v1:
            return install_v1(*options, connection, session);
        case Olm::none:
            return install_plain(*options, connection, session);
        }
    });
}

} // namespace opcat
