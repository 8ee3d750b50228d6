#include "cluster_flags.hpp"
#include "command.hpp"
#include "commands/resolve.hpp"
#include "opcat/base/error.hpp"
#include "opcat/base/json.hpp"
#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/resolve/v1/ocp_upgrade.hpp"
#include "terminal/session.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <variant>

namespace opcat {
namespace {

using namespace olmv1;
using Json = nlohmann::ordered_json;

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

// An operator to check, and who would upgrade it.
struct OperatorQuestion {
    std::string name; // as for --installed
    AskedOlms olms;
    // From a cluster, whose CSV says what counts there; else what the catalog says counts.
    std::optional<MaxOpenShift> max = {};
};

// Nothing can be said of it.
struct UnknownOperator {
    std::string name;
    std::string why;
    std::string hint;
};

using OperatorVerdict = std::variant<UpgradeBlock, UnknownOperator>;

bool allows_upgrade(const OperatorVerdict& answer) {
    const auto* const block = std::get_if<UpgradeBlock>(&answer);
    return block && block->kind == UpgradeBlock::Kind::none;
}

bool is_obstacle(const OperatorVerdict& answer) {
    const auto* const block = std::get_if<UpgradeBlock>(&answer);
    return block && (block->kind == UpgradeBlock::Kind::blocks || block->kind == UpgradeBlock::Kind::invalid);
}

std::string version_of(const PackageBundle& bundle) {
    return version_or_mark(bundle, false);
}

// `installer`: OLM v1's; nothing for OLM classic.
std::string describe(const UpgradeBlock::WayOut& way, const std::optional<Installer>& installer) {
    std::string text = "upgrade it to";
    for (const PackageBundle* bundle : way.steps) {
        text += fmt::format("{} {}", bundle == way.steps.front() ? "" : ", then to", bundle->name());
        if (installer && judge_install(install_facts(*bundle->bundle), *installer).needs_watch_namespace)
            text += fmt::format(" (with {})", watch_field(installer->release));
    }
    if (!way.channel.empty()) text += fmt::format(" (channel {})", way.channel);
    return text;
}

std::string ways_out(const UpgradeBlock& block, const AskedOlms& olms) {
    std::string text;
    constexpr std::string_view none = "no upgrade in the catalog ends the block: wait for one, or uninstall "
                                      "the operator first";
    if (olms.classic)
        text += fmt::format("        OLM classic: {}\n", block.classic ? describe(*block.classic, {}) : none);
    if (!olms.v1) return text;
    const std::string forced =
        block.forced ? fmt::format("no edge leads to a version that does not block; {} does not, and only "
                                   "upgradeConstraintPolicy: SelfCertified allows it: verify the "
                                   "consequences first",
                                   block.forced->name())
                     : std::string(none);
    return text + fmt::format("        OLM v1: {}\n",
                              block.v1 ? describe(*block.v1, Installer{olms.release}) : forced);
}

std::string row_of(const OperatorVerdict& answer, const AskedOlms& olms) {
    if (const auto* const unknown = std::get_if<UnknownOperator>(&answer))
        return fmt::format("unknown {}: {}\n{}", unknown->name, unknown->why,
                           unknown->hint.empty() ? "" : fmt::format("        {}\n", unknown->hint));
    const auto& block = std::get<UpgradeBlock>(answer);
    const PackageBundle& bundle = *block.installed.bundle;
    const std::string what = fmt::format("{} ({})", bundle.name(), version_of(bundle));
    switch (block.kind) {
    case UpgradeBlock::Kind::none:
        return fmt::format("ok      {}: {}\n", what,
                           block.max ? fmt::format("up to OpenShift {}", block.max->to_string())
                                     : "declares no limit");
    case UpgradeBlock::Kind::gone:
        return fmt::format("gone    {}: {}\n", what, block.error);
    case UpgradeBlock::Kind::blocks:
        return fmt::format("blocks  {}: olm.maxOpenShiftVersion is {}\n{}", what, block.max->to_string(),
                           ways_out(block, olms));
    case UpgradeBlock::Kind::invalid:
        return fmt::format("blocks  {}: {}\n{}", what, block.error, ways_out(block, olms));
    }
    return {};
}

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
        cluster_ = *cluster;
        next_ = next_version(cluster_);
        const auto here = cache_.load(catalogs);
        const auto there = options_.next_catalogs.empty() ? std::optional(std::vector<NamedCatalog>())
                                                          : cache_.load(options_.next_catalogs);
        if (!here || !there) {
            session_.exit_status = exit_findings;
            return;
        }
        for (const OperatorQuestion& question : questions_)
            verdicts_.push_back(answer(question, *here, *there));
        session_.out.write(options_.output == Form::json ? as_json() : as_text());
        if (!std::all_of(verdicts_.begin(), verdicts_.end(), allows_upgrade))
            session_.exit_status = exit_findings;
    }

private:
    // What is installed, from which catalogs, and the version, as far as they are not given.
    void ask_cluster(std::string& version, std::vector<std::string>& catalogs) {
        const Connection connection = connect(options_.connection, session_);
        const OlmRelease release = options_.release.read_on(connection, session_);
        for (OperatorQuestion& question : questions_) question.olms.release = release;
        const cluster::ClusterSnapshot found = cluster::read_cluster(
            connection.kubectl, narrowed(connection.served, options_.olm), cluster::Scope::everywhere());
        for (const std::string& unread : found.unread) session_.print_warning(unread);
        for (const cluster::OperatorState& state : found.operators) {
            if (state.installed.empty()) continue;
            const bool is_classic = state.olm == cluster::Olm::classic;
            OperatorQuestion question{state.version.empty() ? state.installed
                                                            : state.installed + "@" + state.version,
                                      {is_classic, !is_classic, release}};
            if (const kube::Object* const csv = found.classic.csv(state.installed, state.ns);
                csv && is_classic)
                question.max = max_openshift_version(
                    csv->text("metadata", "annotations", "operatorframework.io/properties"), state.installed);
            questions_.push_back(std::move(question));
        }
        if (catalogs.empty())
            for (const cluster::CatalogState& catalog : found.catalogs)
                if (!catalog.image.empty())
                    catalogs.push_back(
                        fmt::format("{}={}", replace_all(catalog.full_name(), "/", ":"), catalog.image));
        if (!version.empty()) return;
        if (const auto own = connection.kubectl.get("clusterversions.config.openshift.io", "version"))
            version = own->text("status", "desired", "version");
    }

    static OperatorVerdict answer(const OperatorQuestion& question, std::span<const NamedCatalog> here,
                                  std::span<const NamedCatalog> there, const MinorVersion& cluster) {
        try {
            return check_upgrade(find_operator(question.name, here), cluster, question.olms, there,
                                 question.max);
        } catch (const RequestError& error) {
            return UnknownOperator{question.name, error.what(), error.hint()};
        }
    }
    OperatorVerdict answer(const OperatorQuestion& question, std::span<const NamedCatalog> here,
                           std::span<const NamedCatalog> there) const {
        return answer(question, here, there, cluster_);
    }

    // What decides, too, whether OLM v1 makes the upgrades that end blocks, and is not known.
    std::set<std::string_view> unknown_of_ways() const {
        std::set<std::string_view> unknown;
        for (size_t i = 0; i < verdicts_.size(); ++i) {
            const auto* const block = std::get_if<UpgradeBlock>(&verdicts_[i]);
            if (!block || !block->v1) continue;
            const Installer installer{questions_[i].olms.release};
            for (const PackageBundle* step : block->v1->steps)
                for (const std::string_view what :
                     judge_install(install_facts(*step->bundle), installer).unknown)
                    unknown.insert(what);
        }
        return unknown;
    }

    std::string as_text() const {
        std::string text;
        for (size_t i = 0; i < verdicts_.size(); ++i) text += row_of(verdicts_[i], questions_[i].olms);
        const auto blocking = std::count_if(verdicts_.begin(), verdicts_.end(), is_obstacle);
        const auto allowing = std::count_if(verdicts_.begin(), verdicts_.end(), allows_upgrade);
        const size_t open = verdicts_.size() - static_cast<size_t>(blocking) - static_cast<size_t>(allowing);
        const std::string from_to =
            fmt::format("OpenShift {} from {}", cluster_.to_string(), next_.to_string());
        if (blocking > 0)
            text += fmt::format("\n{} of {} {} {}\n", blocking, counted(verdicts_.size(), "operator"),
                                blocking == 1 ? "keeps" : "keep", from_to);
        else if (open == 0)
            text += fmt::format("\nno installed operator declares a limit that keeps {}\n", from_to);
        if (open > 0)
            text += fmt::format("{}{} of {} {} not known to be fit for OpenShift {}\n",
                                blocking > 0 ? "" : "\n", open, counted(verdicts_.size(), "operator"),
                                open == 1 ? "is" : "are", next_.to_string());
        if (options_.next_catalogs.empty())
            text += fmt::format("not checked: whether the catalogs of OpenShift {} have these operators "
                                "(--next-catalog)\n",
                                next_.to_string());
        if (const auto unknown = unknown_of_ways(); !unknown.empty())
            text +=
                fmt::format("not checked: {} of these upgrades, which also decide whether OLM v1 installs "
                            "them\n",
                            listed(unknown));
        return escape_controls_in_lines(text);
    }

    static Json steps_of(std::string_view olm, const UpgradeBlock::WayOut& way) {
        Json json{{"olm", olm}};
        if (!way.channel.empty()) json["channel"] = way.channel;
        for (const PackageBundle* step : way.steps) json["upgrades"].push_back(step->name());
        return json;
    }

    static Json row_as_json(const OperatorVerdict& answer) {
        if (const auto* const unknown = std::get_if<UnknownOperator>(&answer))
            return {{"name", unknown->name}, {"verdict", "unknown"}, {"error", unknown->why}};
        const auto& block = std::get<UpgradeBlock>(answer);
        const PackageBundle& bundle = *block.installed.bundle;
        const char* const verdict = is_obstacle(answer) ? "blocks" : allows_upgrade(answer) ? "ok" : "gone";
        Json row = {{"bundle", bundle.name()},
                    {"version", version_of(bundle)},
                    {"package", block.installed.package->name},
                    {"catalog", block.installed.catalog->name},
                    {"verdict", verdict},
                    {"blocks", is_obstacle(answer)}};
        if (block.max) row["maxOpenShiftVersion"] = block.max->to_string();
        if (!block.error.empty()) row["error"] = block.error;
        if (block.classic) row["ways"].push_back(steps_of(to_string(cluster::Olm::classic), *block.classic));
        if (block.v1) row["ways"].push_back(steps_of(to_string(cluster::Olm::v1), *block.v1));
        if (block.forced) row["selfCertified"] = block.forced->name();
        return row;
    }

    std::string as_json() const {
        Json json = {{"schema", "opcat.resolve-ocp-upgrade.v1"},
                     {"cluster", cluster_.to_string()},
                     {"next", next_.to_string()},
                     {"nextCatalogsChecked", !options_.next_catalogs.empty()},
                     {"unknown", unknown_of_ways()},
                     {"operators", Json::array()}};
        for (size_t i = 0; i < verdicts_.size(); ++i) {
            Json row = row_as_json(verdicts_[i]);
            row["olms"] = Json::array();
            if (questions_[i].olms.classic) row["olms"].push_back(to_string(cluster::Olm::classic));
            if (questions_[i].olms.v1) row["olms"].push_back(to_string(cluster::Olm::v1));
            json["operators"].push_back(std::move(row));
        }
        return as_document(json);
    }

    const OcpUpgradeOptions& options_;
    Session& session_;
    CatalogCache cache_;
    std::vector<OperatorQuestion> questions_;
    std::vector<OperatorVerdict> verdicts_;
    MinorVersion cluster_;
    MinorVersion next_;
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
