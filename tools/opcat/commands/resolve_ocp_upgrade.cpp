#include "cluster_flags.hpp"
#include "command.hpp"
#include "commands/resolve.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/resolve/v1/ocp_upgrade_report.hpp"
#include "terminal/session.hpp"

#include <utility>

namespace opcat {
namespace {

using namespace olmv1;

struct OcpUpgradeOptions {
    std::string cluster_version;
    std::vector<std::string> catalogs;
    std::vector<std::string> next_catalogs;
    std::vector<std::string> installed;
    std::optional<cluster::Olm> olm;
    OlmReleaseFlags release;
    bool from_cluster = false;
    ClusterFlags connection;
    Form output = Form::text;
    ImageFlags images;
};

class OcpUpgrade {
public:
    OcpUpgrade(const OcpUpgradeOptions& options, Session& session)
        : options_(options), session_(session), cache_(session, options.images) {}

    void run() {
        AskedOlms asked;
        if (options_.olm) asked = {options_.olm == cluster::Olm::classic, options_.olm == cluster::Olm::v1};
        asked.release = options_.release.read();
        for (const std::string& name : options_.installed) questions_.push_back({name, asked});
        std::string version = options_.cluster_version;
        std::vector<std::string> catalogs = options_.catalogs;
        if (options_.from_cluster) ask_cluster(version, catalogs);
        if (questions_.empty() && !options_.from_cluster)
            throw RequestError(
                "there is no operator to check",
                "name those that are installed with --installed, or read them with --from-cluster");
        if (version.empty())
            throw RequestError("the version of the cluster is not known",
                               "name it: --cluster-version 4.18.3");
        const auto cluster = minor_version_of_cluster(version);
        if (!cluster)
            throw RequestError(
                fmt::format("--cluster-version {} is not a version: {}", version, cluster.error()),
                "write it as `oc get clusterversion` prints it: 4.18.3");
        const auto here = cache_.load(catalogs);
        const auto there = options_.next_catalogs.empty() ? std::optional(std::vector<NamedCatalog>())
                                                          : cache_.load(options_.next_catalogs);
        if (!here || !there) {
            session_.exit_status = exit_findings;
            return;
        }
        OcpUpgradeReport report{*cluster, next_version(*cluster), !options_.next_catalogs.empty(), {}};
        for (OperatorQuestion& question : questions_) {
            report.operators.push_back(check_operator(std::move(question), *here, *there, *cluster));
            if (!report.operators.back().allows_upgrade()) session_.exit_status = exit_findings;
        }
        for (UnknownOperator& unread : unread_) {
            report.operators.push_back({{}, std::move(unread)});
            session_.exit_status = exit_findings;
        }
        if (options_.olm != cluster::Olm::v1) report.refused = cache_.sources.refusals();
        session_.out.write(options_.output == Form::json ? report.as_json() : report.as_text());
        session_.out.flush();
        for (const std::string& refusal : report.refused) {
            session_.print_error(refusal);
            session_.exit_status = exit_findings;
        }
    }

private:
    // What is installed, from which catalogs, and the version, as far as they are not given.
    void ask_cluster(std::string& version, std::vector<std::string>& catalogs) {
        const Connection connection = connect(options_.connection, session_);
        const OlmRelease release = options_.release.read_on(connection, session_);
        for (OperatorQuestion& question : questions_) question.olms.release = release;
        const cluster::ClusterSnapshot found = cluster::read_cluster(
            connection.kubectl, narrowed(connection.served, options_.olm), cluster::Scope::everywhere());
        for (const std::string& unread : found.unread) {
            session_.print_warning(unread);
            unread_.push_back({"what could not be read", unread, {}});
        }
        for (OperatorQuestion& question : cluster::upgrade_questions(found, release))
            questions_.push_back(std::move(question));
        if (catalogs.empty())
            for (const cluster::CatalogState& catalog : found.catalogs)
                if (!catalog.image.empty())
                    catalogs.push_back(
                        fmt::format("{}={}", replace_all(catalog.full_name(), "/", ":"), catalog.image));
        if (!version.empty()) return;
        if (const auto own = connection.kubectl.get("clusterversions.config.openshift.io", "version"))
            version = own->text("status", "desired", "version");
    }

    const OcpUpgradeOptions& options_;
    Session& session_;
    CatalogCache cache_;
    std::vector<OperatorQuestion> questions_;
    std::vector<UnknownOperator> unread_;
};

} // namespace

void add_resolve_ocp_upgrade(Command resolve, Session& session) {
    const Command command = resolve.add_command(
        "ocp-upgrade", "List installed operators that block the upgrade to the next OpenShift minor version");
    command.footer(
        "An operator blocks it if its olm.maxOpenShiftVersion is lower. OpenShift 4.23 and 5.0 are one "
        "release.\n\n"
        "Examples:\n"
        "  opcat resolve ocp-upgrade --cluster-version 4.18.3 --catalog catalog/ \\\n"
        "      --installed argocd-operator.v0.8.0 --installed quay-operator@3.9.1\n"
        "  opcat resolve ocp-upgrade --cluster-version 4.18.3 --catalog old/ --next-catalog new/ \\\n"
        "      --installed quay-operator@3.9.1 --olm classic\n"
        "  opcat resolve ocp-upgrade --from-cluster\n\n"
        "Exit status: 0 if no installed operator keeps the cluster back, 1 if one does or is not known.");
    const auto options = std::make_shared<OcpUpgradeOptions>();
    command.add_option("--cluster-version", options->cluster_version,
                       "The version that the cluster runs (default: with --from-cluster, its own)");
    command.add_option("--installed BUNDLE", options->installed,
                       "The installed bundle: BUNDLE, BUNDLE@VERSION, PACKAGE@VERSION or VERSION");
    command.add_option(
        "--catalog CATALOG", options->catalogs,
        "Where the bundles are: [NAME=]REF (default: with --from-cluster, the cluster's catalogs)");
    command.add_option("--next-catalog CATALOG", options->next_catalogs,
                       "A catalog of the next version, which should have the operators, too: [NAME=]REF");
    command.add_choice(
        "--olm", options->olm, {cluster::Olm::classic, cluster::Olm::v1},
        "The OLM that upgrades the operators: classic or v1 (default: on a cluster, the one that "
        "installed each; else both are asked)");
    add_olm_release_flags(command, options->release);
    command.add_flag("--from-cluster", options->from_cluster,
                     "Check what is installed on a cluster, through kubectl");
    add_connection_flags(command, options->connection);
    command.add_choice("-o,--output", options->output, {Form::text, Form::json}, "text or json")
        .show_default();
    add_image_flags(command, options->images);
    command.callback([options, &session] { OcpUpgrade(*options, session).run(); });
}

} // namespace opcat
