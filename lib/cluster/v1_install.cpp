#include "opcat/cluster/v1_install.hpp"

#include "opcat/base/listed.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/offline_install.hpp"
#include "opcat/cluster/served_release.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/resolve/v1/cluster_extension.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace opcat::cluster {

V1Question::V1Question(const Kubectl& kubectl, const PredictedExtension& extension, olmv1::Request asked,
                       const CatalogAccess& access)
    : request(std::move(asked)), catalogs(kubectl, request.selector, access,
                                          [&](const V1Catalogs& read) { return is_decided(request, read); }),
      prediction(predict_v1(kubectl, extension, request, catalogs)) {}

namespace {

// Returns true if OLM compares definitions, for an extension that may not exist yet.
bool checks_definitions(const std::optional<Object>& extension, const ExtensionSettings& settings) {
    if (!settings.crd_upgrade_safety.empty()) return settings.crd_upgrade_safety != "None";
    return !extension ||
           extension->text("spec", "install", "preflight", "crdUpgradeSafety", "enforcement") != "None";
}

// Returns where the operator is installed, and what its configuration says it watches.
InstallPlace place_for(const std::string& ns, const Fields& config, bool cert_manager = false) {
    InstallPlace place{.ns = ns, .cert_manager = cert_manager};
    if (const std::string_view watched = config.text("watchNamespace"); !watched.empty())
        place.watch = {std::string(watched)};
    return place;
}

// A rollout that has begun, whose bundle is what the request then starts from.
std::optional<Revision> take_rollout(const Kubectl& kubectl, const Object& extension, olmv1::Request& asked) {
    std::optional<Revision> revision = revision_in_the_way(kubectl, extension);
    if (revision && !revision->bundle.empty())
        asked.installed = olmv1::InstalledBundle{revision->bundle, revision->version, std::nullopt};
    return revision;
}

// Throws if the API server would not accept a ClusterExtension that is about to be sent.
void require_admitted(const Kubectl& kubectl, const Object& extension) {
    const olmv1::OlmRelease release = served_release(kubectl);
    const auto refuse = [&](const std::string& why, const std::string& help) {
        throw OpenRequest({.message = fmt::format("the API server does not accept ClusterExtension {}: {}",
                                                  extension.name, why),
                           .help = help});
    };
    const std::tuple<const char*, bool, const char*> fields[] = {
        {"config", release.has_config(),
         "the experimental feature set has it since release 1.5, and the standard one of 1.8"},
        {"progressDeadlineMinutes", release.has_progress_deadline(),
         "the experimental feature set has it since release 1.8"}};
    for (const auto& [field, is_known, help] : fields)
        if (extension.at("spec", field) && !is_known)
            refuse(fmt::format("strict decoding error: unknown field \"spec.{}\"", field), help);
    const SourceFile file("ClusterExtension", kube::to_text(extension.value()));
    Diagnostics ignored;
    for (const olmv1::ClusterExtension& read : olmv1::read_cluster_extensions(file, release, ignored))
        for (const Diagnostic& finding : read.findings) refuse(finding.message, finding.help);
}

} // namespace

// ---- installing

namespace {

// A catalog is named, or its labels are. If there is none, OLM only reports that the package is unknown.
void require_catalog(const Kubectl& kubectl, const std::string& name, const kube::Labels& labels) {
    if (name.find('/') != std::string::npos)
        throw OpenRequest(
            {.message = "a ClusterCatalog has no namespace", .remedy = Remedy::name_catalog_alone});
    if (name.empty() && labels.empty()) return;
    const std::vector<Object> all = kubectl.list(resource::cluster_catalogs);
    if (name.empty()) {
        const auto has_labels = [&](const Object& catalog) {
            return std::all_of(labels.begin(), labels.end(),
                               [&](const auto& label) { return catalog.label(label.first) == label.second; });
        };
        if (std::any_of(all.begin(), all.end(), has_labels)) return;
        std::string wanted;
        for (const auto& [key, value] : labels)
            wanted += fmt::format("{}{}={}", wanted.empty() ? "" : ",", key, value);
        throw OpenRequest({.message = fmt::format("no ClusterCatalog has the labels {}", wanted),
                           .help = "kubectl get clustercatalogs.olm.operatorframework.io --show-labels"});
    }
    if (kube::find_named(all, name, {})) return;
    std::vector<std::string_view> known;
    known.reserve(all.size());
    for (const Object& catalog : all) known.push_back(catalog.name);
    const std::string near = did_you_mean(name, known);
    throw OpenRequest({.message = fmt::format("ClusterCatalog {} does not exist", name),
                       .help = !near.empty()    ? near
                               : !known.empty() ? "the cluster has " + listed(known, 10)
                                                : "opcat catalog add makes one"});
}

} // namespace

V1InstallPlan plan_v1_install(const Kubectl& kubectl, const std::string& ns, const V1InstallRequest& request,
                              const Served& served, const CatalogAccess& access) {
    require_name("packages", request.package);
    const ExtensionSettings& settings = request.settings;
    V1InstallPlan plan;
    plan.rights = request.rights;
    kubectl.together({[&] { plan.scope = rights_scope(kubectl, served, request.rights_for); },
                      [&] { plan.namespace_exists = require_usable_namespace(kubectl, ns); },
                      [&] { plan.existing = find_extension(kubectl, request.package); }});
    const std::optional<Object>& existing = plan.existing;
    if (existing && package_of(*existing) != request.package)
        throw BlockedChange(
            {.message = fmt::format("cannot install {}: the ClusterExtension of this name installs {}",
                                    request.package, package_of(*existing)),
             .remedy = Remedy::uninstall_other_package});
    const std::string name = existing ? existing->name : request.package;
    std::string account = request.service_account;
    if (account.empty() && plan.scope.needed()) account = installer_name(name);
    if (!account.empty()) require_name("serviceaccounts", account);

    require_catalog(kubectl, request.catalog, settings.catalog_labels);
    plan.spec = {.name = name,
                 .package = request.package,
                 .ns = ns,
                 .service_account = account,
                 .version = request.version,
                 .channels = request.channels,
                 .catalogs =
                     request.catalog.empty() ? settings.catalog_labels : named_catalog(request.catalog),
                 .policy = request.policy,
                 .config = settings.config,
                 .progress_deadline = settings.progress_deadline,
                 .crd_upgrade_safety = settings.crd_upgrade_safety,
                 .labels = settings.labels};
    if (settings.any()) require_admitted(kubectl, cluster_extension(plan.spec));

    olmv1::Request asked;
    asked.package = request.package;
    asked.version = request.version;
    asked.channels = request.channels;
    if (request.policy) asked.policy = *request.policy;
    if (!plan.spec.catalogs.empty())
        asked.selector = {.match_labels = plan.spec.catalogs, .match_expressions = {}};
    if (existing) asked.installed = olmv1::request_of(*existing).installed;
    std::optional<Revision> rolling_out;
    if (existing) rolling_out = take_rollout(kubectl, *existing, asked);
    plan.question = std::make_unique<const V1Question>(
        kubectl,
        PredictedExtension{name, place_for(ns, settings.config), checks_definitions(existing, settings),
                           settings.config, std::move(rolling_out)},
        std::move(asked), access);

    // A failure of another catalog must not prevent upgrades of this operator.
    if (const auto& choice = plan.question->prediction.resolution.choice;
        plan.spec.catalogs.empty() && choice)
        plan.spec.catalogs = named_catalog(choice->catalog->name);
    if (existing && request.service_account.empty())
        plan.spec.service_account = existing->text("spec", "serviceAccount", "name");
    return plan;
}

std::optional<Obstacle> obstacle_to(const V1InstallPlan& plan, const Kubectl& kubectl) {
    const ExtensionSpec& spec = plan.spec;
    if (plan.existing) {
        const std::string ns(plan.existing->text("spec", "namespace"));
        const std::string account(plan.existing->text("spec", "serviceAccount", "name"));
        if (ns == spec.ns && (account == spec.service_account || !plan.scope.account_used))
            return std::nullopt;
        return Obstacle{
            .message = account.empty()
                           ? fmt::format("ClusterExtension {} is in namespace {}, which cannot be changed",
                                         spec.name, ns)
                           : fmt::format("ClusterExtension {} is in namespace {} with ServiceAccount {}, "
                                         "neither of which can be changed",
                                         spec.name, ns, account),
            .help = spec.name,
            .remedy = Remedy::keep_place,
            .ns = ns,
            .account = account == spec.service_account ? std::string() : account};
    }
    if (plan.rights != InstallerRights::none || !plan.scope.account_used) return std::nullopt;
    try {
        if (kubectl.get(resource::service_accounts, spec.service_account, Scope::in(spec.ns)))
            return std::nullopt;
    } catch (const KubectlError& error) {
        if (error.kind() != FailureKind::forbidden) throw;
        return std::nullopt;
    }
    return Obstacle{.message =
                        fmt::format("namespace {} has no ServiceAccount {}", spec.ns, spec.service_account),
                    .remedy = Remedy::name_account};
}

namespace {

std::vector<Object> rights_for(const V1InstallPlan& plan, const InstallerSpec& installer,
                               const Served& served) {
    if (plan.rights == InstallerRights::cluster_admin) return cluster_admin_binding(installer);
    const std::string message = "the rights that the bundle needs cannot be derived: ";
    const PredictedPath& path = plan.question->prediction.path;
    if (path.steps.empty())
        throw OpenRequest(
            {.message = message + "it is not known which bundle it will be", .remedy = Remedy::grant_rights});
    try {
        return derived_rights(installer,
                              render_path(path, plan.question->catalogs,
                                          place_for(plan.spec.ns, plan.spec.config, served.cert_manager)));
    } catch (const Error& error) {
        // More rights do not help a bundle that OLM refuses.
        throw BlockedChange(
            {.message = message + error.what(),
             .remedy = plan.question->prediction.problems.empty() ? Remedy::grant_rights : Remedy::as_told});
    }
}

} // namespace

V1InstallObjects objects_of(const V1InstallPlan& plan, const Kubectl& kubectl, const Served& served) {
    const ExtensionSpec& spec = plan.spec;
    V1InstallObjects objects;
    if (!plan.namespace_exists) objects.wanted.push_back(namespace_object(spec.ns));
    if (!plan.scope.account_used)
        objects.remarks.push_back("the OLM v1 of this cluster installs with rights of its own: " +
                                  (spec.service_account.empty()
                                       ? std::string("no account and no rights are made for it")
                                       : fmt::format("it ignores ServiceAccount {}", spec.service_account)));
    if (plan.rights != InstallerRights::none && plan.scope.needed()) {
        const InstallerSpec installer{spec.name, spec.ns, spec.service_account, plan.scope};
        std::vector<Object> made = rights_for(plan, installer, served);
        made.insert(made.begin(), installer_account(installer));
        const std::vector<Object> existing = kubectl.existing(made);
        for (Object& object : made) {
            const Object* const there = kube::find_same(existing, object);
            if (!there || is_created_for(*there, spec.name)) {
                objects.wanted.push_back(std::move(object));
                continue;
            }
            if (object.kind() != "ServiceAccount")
                throw BlockedChange(
                    {.message = fmt::format("cannot grant rights to ServiceAccount {}: {} exists "
                                            "and was not created for ClusterExtension {}",
                                            spec.service_account, object.describe(), spec.name),
                     .remedy = Remedy::keep_rights});
            objects.remarks.push_back(
                fmt::format("{} exists: it is used, not changed, and it stays when the operator is "
                            "uninstalled",
                            object.describe()));
        }
    }
    for (Object& object : objects.wanted) object = with_labels(object, spec.labels);
    objects.wanted.push_back(cluster_extension(spec));
    return objects;
}

// ---- upgrading

V1UpgradePlan plan_v1_upgrade(const Kubectl& kubectl, const V1UpgradeRequest& request,
                              const CatalogAccess& access) {
    require_name("packages", request.package);
    const auto extension = find_extension(kubectl, request.package);
    if (!extension)
        throw OpenRequest({.message = fmt::format("{} is not installed with OLM v1", request.package),
                           .remedy = Remedy::list_installed});
    const olmv1::Request before = olmv1::request_of(*extension);
    olmv1::Request asked = before;
    asked.version = request.to;
    if (!request.channels.empty()) asked.channels = request.channels;
    if (request.policy) asked.policy = *request.policy;

    const ExtensionSettings& settings = request.settings;
    require_catalog(kubectl, request.catalog, settings.catalog_labels);
    if (!request.catalog.empty()) {
        const Fields selector = extension->at("spec", "source", "catalog", "selector");
        const size_t others =
            selector.items("matchExpressions").size() + selector.members("matchLabels").size();
        if (others > (catalog_of(*extension).empty() ? 0U : 1U))
            throw OpenRequest(
                {.message = fmt::format("ClusterExtension {} selects its catalog by other labels "
                                        "than its name",
                                        extension->name),
                 .help = "--catalog-selector replaces them"});
    }
    const kube::Labels catalogs =
        request.catalog.empty() ? settings.catalog_labels : named_catalog(request.catalog);
    if (!catalogs.empty()) asked.selector = {.match_labels = catalogs, .match_expressions = {}};

    V1UpgradePlan plan;
    plan.extension = *extension;
    ExtensionSpec wanted{.name = extension->name,
                         .package = asked.package,
                         .ns = std::string(extension->text("spec", "namespace")),
                         .service_account = std::string(extension->text("spec", "serviceAccount", "name")),
                         .version = request.to,
                         .channels = request.channels,
                         .catalogs = catalogs,
                         .policy = request.policy,
                         .config = settings.config,
                         .progress_deadline = settings.progress_deadline,
                         .crd_upgrade_safety = settings.crd_upgrade_safety,
                         .labels = settings.labels};
    if (settings.any()) require_admitted(kubectl, cluster_extension(wanted));
    plan.config = merged(extension->at("spec", "config", "inline"), settings.config);
    plan.labels = settings.labels;
    plan.patch = extension_patch(*extension, wanted);
    if (request.policy && before.policy != *request.policy) {
        Json patch;
        patch["spec"]["source"]["catalog"]["upgradeConstraintPolicy"] = to_string(before.policy);
        plan.restore = object_of(patch);
    }
    std::optional<Revision> rolling_out = take_rollout(kubectl, *extension, asked);
    plan.question = std::make_unique<const V1Question>(
        kubectl,
        PredictedExtension{extension->name, place_for(wanted.ns, plan.config),
                           checks_definitions(extension, settings), plan.config, std::move(rolling_out)},
        std::move(asked), access);
    return plan;
}

namespace {

const Bundle* installed_bundle(const olmv1::Request& request, const V1Catalogs& catalogs) {
    if (!request.installed) return nullptr;
    for (const olmv1::NamedCatalog& catalog : catalogs.named())
        if (const PackageGraph* const package = catalog.index->find(request.package))
            for (const PackageBundle& bundle : package->bundles)
                if (bundle.name() == request.installed->name) return bundle.bundle;
    return nullptr;
}

} // namespace

namespace {

InstallPlace place_of(const V1UpgradePlan& plan, const Served& served) {
    return place_for(std::string(plan.extension.text("spec", "namespace")), plan.config, served.cert_manager);
}

bool changes_version(const V1UpgradePlan& plan) {
    const PredictedPath& path = plan.question->prediction.path;
    const auto& installed = plan.question->request.installed;
    return !path.steps.empty() && !(installed && path.end == installed->name);
}

// The role with the rights that opcat has derived, if it has.
std::optional<Object> derived_role(const Object& extension, const Kubectl& kubectl) {
    auto role = kubectl.get(resource::cluster_roles, extension.name + "-installer");
    if (role && !is_created_for(*role, extension.name)) role.reset();
    return role;
}

// The scope for which the role was derived.
RightsScope scope_of(const Object& role, const Kubectl& kubectl, const Served& served) {
    const std::string oldest(role.text("metadata", "annotations", rights_for_annotation));
    return rights_scope(kubectl, served,
                        oldest.empty() ? std::nullopt : std::optional(olmv1::known_release(oldest)));
}

InstallerSpec installer_of(const Object& extension, const RightsScope& scope) {
    return {extension.name, std::string(extension.text("spec", "namespace")),
            std::string(extension.text("spec", "serviceAccount", "name")), scope};
}

// The account's own, to install all bundles of the path.
AccountRights rights_for_path(const V1Question& question, InstallerSpec installer, const InstallPlace& place,
                              const Kubectl& kubectl) {
    if (question.prediction.path.steps.empty()) return {.unknown = "it is not known which bundle it will be"};
    NeededRights needed;
    try {
        std::vector<std::vector<Object>> bundles =
            render_path(question.prediction.path, question.catalogs, place);
        installer.only_to_install = true;
        needed.used = derived_rights(installer, bundles);
        for (std::vector<Object>& bundle : bundles)
            std::move(bundle.begin(), bundle.end(), std::back_inserter(needed.granted));
    } catch (const Error& error) {
        return {.unknown = error.what()};
    }
    return rights_of_account(kubectl, installer.ns, installer.service_account, needed);
}

} // namespace

AccountRights account_rights(const V1InstallPlan& plan, const Kubectl& kubectl, const Served& served) {
    if (plan.rights != InstallerRights::none || !plan.scope.account_used) return {};
    const ExtensionSpec& spec = plan.spec;
    return rights_for_path(*plan.question, {spec.name, spec.ns, spec.service_account, plan.scope},
                           place_for(spec.ns, spec.config, served.cert_manager), kubectl);
}

AccountRights account_rights(const V1UpgradePlan& plan, const Kubectl& kubectl, const Served& served) {
    if (!changes_version(plan) || derived_role(plan.extension, kubectl)) return {};
    const RightsScope scope = rights_scope(kubectl, served, std::nullopt);
    if (!scope.account_used) return {};
    return rights_for_path(*plan.question, installer_of(plan.extension, scope), place_of(plan, served),
                           kubectl);
}

std::vector<Object> renewed_rights(const V1UpgradePlan& plan, const Kubectl& kubectl, const Served& served) {
    const Object& extension = plan.extension;
    const olmv1::Request& request = plan.question->request;
    const V1Catalogs& catalogs = plan.question->catalogs;
    const PredictedPath& path = plan.question->prediction.path;
    if (!changes_version(plan)) return {};
    const std::optional<Object> role = derived_role(extension, kubectl);
    if (!role) return {};
    const RightsScope scope = scope_of(*role, kubectl, served);
    if (!scope.needed()) return {};
    const InstallPlace place = place_of(plan, served);
    std::vector<std::vector<Object>> bundles = render_path(path, catalogs, place);
    if (const Bundle* const before = installed_bundle(request, catalogs))
        bundles.insert(bundles.begin(), render_bundle(catalogs.content_of(*before), place));
    // Labels that `install` was asked for stay.
    kube::Labels labels = kube::labels_of(*role);
    for (const auto& [key, value] : plan.labels) labels[key] = value;
    std::vector<Object> rights = derived_rights(installer_of(extension, scope), bundles);
    for (Object& object : rights) object = with_labels(object, labels);
    return rights;
}

} // namespace opcat::cluster
