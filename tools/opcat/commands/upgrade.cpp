#include "catalog_options.hpp"
#include "classic_inputs.hpp"
#include "cluster_flags.hpp"
#include "cluster_flow.hpp"
#include "command.hpp"
#include "extension_flags.hpp"
#include "opcat/base/error.hpp"
#include "opcat/cluster/classic_install.hpp"
#include "opcat/cluster/v1_install.hpp"
#include "terminal/session.hpp"

#include <string>
#include <utility>
#include <vector>

namespace opcat {

using namespace cluster;

namespace {

struct UpgradeOptions {
    ClusterFlags cluster;
    FlowFlags flow;
    ImageFlags images; // for the cluster's catalogs
    std::string package;
    std::vector<std::string> channels;
    std::string to;
    std::string catalog;
    ExtensionFlags extension;
    bool self_certified = false;
    bool keep_self_certified = false;
};

// The registry has newer content of the catalog ("NAMESPACE/NAME", of OLM v1 its name) than the cluster.
void print_newer_waits(const std::string& catalog, const std::string& installed, Session& session) {
    const size_t slash = catalog.find('/');
    const std::string name = catalog.substr(slash == std::string::npos ? 0 : slash + 1);
    session.print_error(fmt::format("{} stays at its version: the image of catalog {} is newer than what the "
                                    "cluster serves of it, so nothing "
                                    "was changed",
                                    installed, catalog),
                        fmt::format("opcat catalog refresh {}{} makes the cluster read it", name,
                                    slash == std::string::npos ? "" : " -n " + catalog.substr(0, slash)));
    session.exit_status = exit_findings;
}

// For --no-wait: the first step, as the rest of the path needs to be waited for.
int approve_waiting(const ClassicUpgradePlan& plan, const Kubectl& kubectl, const FlowFlags& flow,
                    Session& session) {
    // A plan for the old channel or catalog is not on the path.
    if (!plan.waiting || plan.move.any()) return exit_ok;
    if (goes_beyond(*plan.waiting, plan.before.next, plan.version)) {
        print_beyond(plan.before.next, plan.version, session);
        return exit_findings;
    }
    const PlanContent content = content_of_plan(*plan.waiting);
    if (!may_approve(content, flow, session)) return exit_waiting;
    approve(kubectl, content, session);
    return exit_ok;
}

std::string words_for(const SubscriptionMove& move) {
    std::string words;
    if (!move.channel.empty()) words = "channel " + move.channel;
    if (!move.catalog.empty())
        words += fmt::format("{}catalog {}/{}", words.empty() ? "" : " and ", move.catalog_ns, move.catalog);
    return words;
}

void upgrade_classic(const UpgradeOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    const FlowFlags& flow = options.flow;
    if (options.channels.size() > 1)
        throw RequestError("OLM classic takes one channel, and there are several --channel");
    const ClassicUpgradeRequest request{.package = options.package,
                                        .channel = options.channels.empty() ? std::string()
                                                                            : options.channels.front(),
                                        .catalog = options.catalog,
                                        .to = options.to,
                                        .inputs = input_names()};
    const ClassicUpgradePlan plan = with_hints(options.package, connection.ns, [&] {
        return plan_classic_upgrade(kubectl, connection.ns, request,
                                    catalog_access(options.images, session, kubectl));
    });
    for (const std::string& other : plan.others) session.print_warning(other);
    if (plan.obstacle) {
        session.print_error(plan.obstacle->message, hint_for(*plan.obstacle, options.package, connection.ns));
        session.exit_status = exit_findings;
        return;
    }
    if (plan.done) {
        session.print(
            fmt::format("{} is installed and ready already{}, nothing was changed\n", plan.target,
                        plan.before.health == Health::waits
                            ? fmt::format(" (an upgrade to {} waits for approval)", plan.before.next)
                            : std::string()));
        return;
    }
    print(plan.prediction, session);
    if (!plan.prediction.error.empty() && !continues_anyway(flow, session)) return;
    const OperatorState& before = plan.before;
    if (!plan.target.empty() && !before.manual)
        session.print_warning(
            fmt::format("upgrades of {} are approved automatically: OLM may go on beyond {}", options.package,
                        plan.target));
    if (plan.move.any()) require_patch(kubectl, plan.subscription, move_patch(plan.move), flow);
    // Who cannot be asked, and does not say yes, approves nothing.
    if (plan.waiting && !plan.move.any() && (flow.dry_run || flow.yes || can_ask()))
        kubectl.require_right("patch", *plan.waiting, plan.waiting->name);
    if (plan.move.any()) {
        const std::string what = fmt::format("Subscription {}/{}", connection.ns, before.name);
        if (flow.dry_run) {
            session.print(fmt::format("{} would get {}\n", what, words_for(plan.move)));
        } else {
            kubectl.patch(resource::subscriptions, before.name, Scope::in(connection.ns),
                          move_patch(plan.move).value());
            session.print(fmt::format("changed {}: {}\n", what, words_for(plan.move)));
        }
    } else if (before.health == Health::ready && plan.target.empty() && before.stale_resolution.empty()) {
        if (!plan.prediction.newer_waits.empty())
            return print_newer_waits(plan.prediction.newer_waits, before.installed, session);
        if (!plan.no_upgrade.empty()) {
            session.print_error(plan.no_upgrade + "; nothing was changed",
                                "--channel or --catalog moves it to where it has one");
            session.exit_status = exit_findings;
            return;
        }
        if (plan.prediction.plan.empty()) {
            session.print(fmt::format("{} is at the latest version that OLM knows, nothing was changed\n",
                                      before.installed));
            return;
        }
    }
    if (flow.dry_run) {
        if (!plan.waiting || plan.move.any()) return;
        if (goes_beyond(*plan.waiting, before.next, plan.version)) {
            print_beyond(before.next, plan.version, session);
            session.exit_status = exit_findings;
            return;
        }
        may_approve(content_of_plan(*plan.waiting), flow, session);
        return;
    }
    if (flow.no_wait) {
        session.exit_status = approve_waiting(plan, kubectl, flow, session);
        return;
    }
    // Without a version, to the end of the predicted path; if that waits for approval, one step.
    const bool to_head = plan.target.empty() && (plan.move.any() || before.health == Health::ready);
    session.exit_status =
        follow_classic(kubectl,
                       {.package = options.package,
                        .ns = connection.ns,
                        .csv = to_head ? plan.prediction.target : plan.target,
                        .version = plan.version,
                        .one_step = options.to.empty(),
                        .resolves = plan.prediction.possible && plan.prediction.error.empty()},
                       true, flow, session);
}

// Gives the account the rights for the new versions. Whether they have changed, or would.
bool renew_rights(const V1UpgradePlan& plan, const UpgradeOptions& options, const Connection& connection,
                  Session& session) {
    std::vector<Object> rights = renewed_rights(plan, connection.kubectl, connection.served);
    if (rights.empty()) return false;
    ObjectChanges changes(connection.kubectl, std::move(rights));
    if (options.flow.only_shows()) {
        show(changes, options.flow, session);
    } else {
        apply(changes, options.flow, session);
    }
    return changes.any();
}

void upgrade_v1(const UpgradeOptions& options, const Connection& connection, Session& session) {
    const Kubectl& kubectl = connection.kubectl;
    const V1UpgradeRequest request{
        .package = options.package,
        .to = options.to,
        .channels = options.channels,
        .catalog = options.catalog,
        .settings = options.extension.settings({}, options.catalog),
        .policy = options.self_certified ? std::optional(olmv1::Policy::self_certified) : std::nullopt};
    const V1UpgradePlan plan = with_hints(options.package, connection.ns, [&] {
        return plan_v1_upgrade(kubectl, request, catalog_access(options.images, session));
    });
    const Object& extension = plan.extension;
    if (const std::string_view ns = extension.text("spec", "namespace");
        !options.cluster.ns.empty() && options.cluster.ns != ns)
        throw RequestError(fmt::format("{} installs into namespace {}, not into {}", extension.describe(), ns,
                                       options.cluster.ns),
                           "name that namespace, or none: a ClusterExtension is of the whole cluster");
    if (!print_and_go_on(*plan.question, options.flow, session)) return;
    AccountRights rights;
    std::vector<DeclaredField> declared;
    const bool asks_already = kube::satisfies(extension.value(), plan.patch.value());
    kubectl.together({[&] { rights = account_rights(plan, kubectl, connection.served); },
                      [&] {
                          if (!asks_already) kubectl.require_right("patch", extension, extension.name);
                      },
                      [&] { declared = declared_by_others(kubectl, extension, plan.patch.value()); }});
    require_undeclared(declared, extension, options.flow);
    if (!has_rights(rights,
                    fmt::format("{}/{}", extension.text("spec", "namespace"),
                                extension.text("spec", "serviceAccount", "name")),
                    "grant them to the account: OLM tries again by itself", options.flow, session))
        return;
    const bool other_rights = renew_rights(plan, options, connection, session);
    const std::string& name = plan.extension.name;
    const Value& patch = plan.patch.value();
    const V1Question& question = *plan.question;
    const std::string& end = question.prediction.path.end;
    if (const auto& choice = question.prediction.resolution.choice;
        asks_already && choice && !other_rights && question.catalogs.newer_waits(choice->catalog->name) &&
        question.request.installed && question.request.installed->name == end)
        return print_newer_waits(choice->catalog->name, end, session);
    if (options.flow.dry_run) {
        session.print(asks_already ? fmt::format("ClusterExtension {} asks for this already\n", name)
                                   : fmt::format("ClusterExtension {} would be changed by {}\n", name,
                                                 kube::to_text(patch)));
        return;
    }
    if (asks_already) {
        session.print(fmt::format("ClusterExtension {} asks for this already{}\n", name,
                                  other_rights ? "" : ", nothing was changed"));
        if (other_rights) retry_now(kubectl, name);
    } else {
        kubectl.patch(resource::cluster_extensions, name, Scope::cluster(), patch);
        session.print(fmt::format("changed ClusterExtension {}\n", name));
    }
    const bool restore = plan.restore && !options.keep_self_certified;
    if (!options.flow.no_wait) {
        session.exit_status = follow_v1(kubectl, name, end, options.flow, session);
        if (restore && session.exit_status == exit_ok) {
            kubectl.patch(resource::cluster_extensions, name, Scope::cluster(), plan.restore->value());
            session.print(
                fmt::format("changed ClusterExtension {}: the catalog's upgrade edges count again\n", name));
            return;
        }
    }
    if (plan.restore) print_stays_self_certified(name, session);
}

} // namespace

void add_upgrade(Command tree, Session& session) {
    const Command command = tree.add_command("upgrade", "Upgrade an operator");
    const auto options = std::make_shared<UpgradeOptions>();
    command.add_option("PACKAGE", options->package, "The operator's package").required();
    command.add_option("--to", options->to,
                       "The version to end at, or its bundle's name; with OLM v1 a range of versions");
    command.add_option("--channel", options->channels, "Go to this channel; several only with OLM v1");
    command.add_option("--catalog [NAMESPACE/]NAME", options->catalog,
                       "Move to this catalog of the cluster, as when the old one has another name now");
    command.add_flag("--self-certified", options->self_certified,
                     "OLM v1: allow any version, whatever the catalog's upgrade edges say");
    command.add_flag("--keep-self-certified", options->keep_self_certified,
                     "Keep SelfCertified; otherwise it is removed after the upgrade");
    add_extension_flags(command, options->extension);
    add_cluster_flags(command, options->cluster);
    add_flow_flags(command, options->flow);
    add_image_flags(command, options->images);
    command.add_flag("--force", options->flow.force, "Continue although the prediction is that it fails");
    add_conflict_flag(command, options->flow);
    command.footer(
        "With OLM classic, upgrades that wait for approval are approved: with --to one after the "
        "other up to that version, else the one that waits. OLM classic cannot return to a lower version.\n\n"
        "Examples:\n"
        "  opcat upgrade prometheus -n monitoring --to 0.56.3\n"
        "  opcat upgrade prometheus -n monitoring --channel stable --dry-run\n"
        "  opcat upgrade prometheus -n monitoring --catalog olm/community-2\n"
        "  opcat upgrade argocd-operator --olm v1 --to '>=0.9.0 <0.10.0'\n"
        "  opcat upgrade argocd-operator --olm v1 --crd-upgrade-safety None --dry-run");
    command.callback([options, &session] {
        const Connection connection = connect(options->cluster, session);
        switch (olm_of_installed(connection, options->cluster, options->package)) {
        case Olm::classic:
            options->extension.require_none("OLM classic");
            return upgrade_classic(*options, connection, session);
        case Olm::v1:
            return upgrade_v1(*options, connection, session);
        case Olm::none:
            throw RequestError("without OLM there are no upgrades",
                               "install the new bundle: opcat install BUNDLE --olm none");
        }
    });
}

} // namespace opcat
