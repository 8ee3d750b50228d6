#include "opcat/base/error.hpp"
#include "opcat/cluster/dry_run.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/prediction.hpp"
#include "opcat/cluster/served_release.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/kube/crd_changes.hpp"
#include "opcat/resolve/v1/upgrade_path.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace opcat::cluster {
namespace {

// `next`: the choice for the request.
PredictedPath path_from(const std::optional<olmv1::Choice>& next, const olmv1::Request& request,
                        const V1Catalogs& catalogs) {
    PredictedPath path;
    if (!next) return path;
    const olmv1::UpgradePath upgrades = olmv1::follow_upgrades(request, catalogs.named());
    for (const olmv1::UpgradePath::Step& step : upgrades.steps) path.steps.push_back(step.choice);
    if (path.steps.empty()) path.steps.push_back(*next); // it stays
    if (upgrades.end != olmv1::UpgradePath::End::circles) path.end = path.steps.back().bundle->name();
    return path;
}

// The steps whose bundles are compared with the cluster: reading one can mean pulling its image.
std::span<const olmv1::Choice> compared_steps(const PredictedPath& path) {
    return std::span(path.steps).first(std::min(path.steps.size(), most_steps_shown));
}

// The owner of a CustomResourceDefinition because of which the extension cannot own it; empty if there is
// none.
std::string other_owner(const Object& crd, const std::string& extension) {
    const std::string_view owner = crd.label(owner_name_label);
    if (owner == extension) return {};
    if (!owner.empty()) return fmt::format("of ClusterExtension {}", owner);
    if (crd.label("olm.managed") == "true") return "of an operator of OLM classic";
    if (!crd.label(set_label).empty()) return "of an operator without OLM";
    return "of an owner that OLM v1 does not know";
}

// Compares the definitions of bundles that follow one another with those of the cluster. Adds problems to a
// prediction, and remarks on changes that OLM would refuse if it checked them.
class DefinitionCheck {
public:
    // `existing`: the cluster's.
    DefinitionCheck(std::vector<Object> existing, const PredictedExtension& extension,
                    V1Prediction& prediction)
        : existing_(std::move(existing)), extension_(extension), prediction_(prediction) {}

    // `step`: words for the step of the path, if it is not the first.
    void check(const Object& crd, const std::string& step) {
        const Object* const before = current(crd.name);
        if (before) {
            const std::vector<std::string> impossible = kube::impossible_changes(*before, crd);
            for (const std::string& danger : kube::unsafe_changes(*before, crd)) {
                const bool is_possible =
                    std::find(impossible.begin(), impossible.end(), danger) == impossible.end();
                if (is_possible && !extension_.checks_definitions)
                    prediction_.remarks.push_back(fmt::format(
                        "{}OLM does not check CRD \"{}\" for this extension: {}", step, crd.name, danger));
                else
                    refuse(fmt::format("{}validating upgrade for CRD \"{}\": {}", step, crd.name, danger),
                           is_possible);
            }
        }
        definitions_[crd.name] = upgraded_definition(before ? Fields(*before) : Fields(), crd);
    }

private:
    // nullptr: the cluster has none that the extension could own.
    const Object* current(const std::string& name) {
        if (const auto known = definitions_.find(name); known != definitions_.end()) return &known->second;
        const Object* const existing = kube::find_named(existing_, name, {});
        if (!existing) return nullptr;
        const std::string owner = other_owner(*existing, extension_.name);
        if (owner.empty()) return &definitions_.emplace(name, *existing).first->second;
        refuse(fmt::format("CustomResourceDefinition '{}' already exists and cannot be managed by "
                           "operator-controller: it is {}",
                           name, owner),
               false);
        return nullptr;
    }

    void refuse(std::string problem, bool by_preflight) {
        prediction_.refused_by_preflight =
            by_preflight && (prediction_.problems.empty() || prediction_.refused_by_preflight);
        prediction_.problems.push_back(std::move(problem));
    }

    std::vector<Object> existing_;
    const PredictedExtension& extension_;
    V1Prediction& prediction_;
    std::map<std::string, Object> definitions_; // after the steps so far
};

// Throws Error if a bundle cannot be read.
void check_definitions(const Kubectl& kubectl, const PredictedExtension& extension,
                       const V1Catalogs& catalogs, V1Prediction& prediction) {
    const auto steps = compared_steps(prediction.path);
    std::map<std::string, Object> wanted; // by name, of all steps
    for (const olmv1::Choice& step : steps)
        for (const Object& crd : catalogs.content_of(*step.bundle->bundle).crds)
            wanted.emplace(crd.name, crd_reference(crd.name));
    std::vector<Object> references;
    references.reserve(wanted.size());
    for (auto& [name, reference] : wanted) references.push_back(std::move(reference));
    DefinitionCheck definitions(kubectl.existing(references), extension, prediction);
    for (const olmv1::Choice& step : steps) {
        const std::string words =
            &step == &steps.front() ? "" : fmt::format("at the step to {}: ", step.bundle->name());
        for (const Object& crd : catalogs.content_of(*step.bundle->bundle).crds)
            definitions.check(crd, words);
        if (!prediction.problems.empty()) return;
    }
}

// If several catalogs have a bundle, OLM prefers those that are not deprecated, and then the highest
// priority.
void explain_catalog(const olmv1::Resolution& resolution, std::vector<std::string>& remarks) {
    if (!resolution.choice) return;
    const olmv1::NamedCatalog& chosen = *resolution.choice->catalog;
    for (const olmv1::CatalogAnswer& answer : resolution.catalogs) {
        const olmv1::NamedCatalog& other = *answer.catalog;
        if (&other == &chosen || answer.candidates.empty()) continue;
        remarks.push_back(other.priority < chosen.priority
                              ? fmt::format("catalog {} (priority {}) comes before catalog {} (priority {})",
                                            chosen.name, chosen.priority, other.name, other.priority)
                              : fmt::format("what catalog {} offers is deprecated", other.name));
    }
}

// A rollout that has begun comes first, and one that fails prevents all others.
void explain_revision(const Revision& revision, const PredictedPath& path, V1Prediction& prediction) {
    const bool stays = path.end == revision.bundle;
    if (revision.is_failing() && !stays)
        prediction.problems.push_back(fmt::format(
            "{}; until it has rolled out, OLM v1 resolves no other version", revision.describe()));
    else
        prediction.remarks.push_back(revision.describe() +
                                     (stays ? "" : "; OLM v1 resolves again when it has rolled out"));
}

void check_install_rules(const Kubectl& kubectl, const PredictedExtension& extension,
                         const V1Catalogs& catalogs, V1Prediction& prediction) {
    olmv1::Installer installer{.ns = extension.place.ns};
    olmv1::read_config(extension.config, installer);
    bool knows_release = false;
    for (const olmv1::Choice& step : compared_steps(prediction.path)) {
        const BundleContent& content = catalogs.content_of(*step.bundle->bundle);
        if (content.csv.empty()) continue;
        const olmv1::InstallFacts facts = olmv1::facts_of_csv(content.csv.front());
        olmv1::InstallVerdict verdict = olmv1::judge_install(facts, installer);
        // Most bundles support all namespaces: then the release does not matter.
        if (!knows_release && (extension.config || !verdict.refusal.empty())) {
            knows_release = true;
            installer.release = served_release(kubectl);
            verdict = olmv1::judge_install(facts, installer);
        }
        if (verdict.refusal.empty()) continue;
        prediction.needs_watch_namespace = verdict.needs_watch_namespace;
        const bool later = &step != &prediction.path.steps.front();
        prediction.problems.push_back(
            (later ? fmt::format("at the step to {}: ", step.bundle->name()) : "") +
            olmv1::refusal_message(step.bundle->name(), step.version, installer, verdict));
        return;
    }
}

// The program that refuses: OLM v1 itself, or the API server after OLM has compared definitions.
enum class Refusing : uint8_t { olm, server };

// Finds contents of the bundles that are refused. minKubeVersion has no effect. `first`: what the server says
// about the first bundle.
void check_contents(const Kubectl& kubectl, const InstallPlace& place, const V1Catalogs& catalogs,
                    Refusing refusing, const BundleOutcome& first, V1Prediction& prediction) {
    std::optional<admission::ServedApis> served;
    std::string server_version;
    for (const olmv1::Choice& step : compared_steps(prediction.path)) {
        const BundleContent& content = catalogs.content_of(*step.bundle->bundle);
        if (content.csv.empty()) continue;
        if (const std::string needed(content.csv.front().text("spec", "minKubeVersion"));
            !needed.empty() && refusing == Refusing::olm) {
            if (server_version.empty()) server_version = kubectl.server_version();
            std::string remark = unmet_min_kube_version(content.name(), needed, server_version,
                                                        "OLM v1 installs it nevertheless");
            if (!remark.empty()) prediction.remarks.push_back(std::move(remark));
        }
        if (!served) served.emplace(kubectl.api_versions());
        const bool later = &step != &prediction.path.steps.front();
        const BundleOutcome outcome =
            refusing == Refusing::server && !later
                ? first
                : v1_outcome(manifests_of(content, step.bundle->bundle->package.text),
                             {.served = *served,
                              .kubernetes_version = {},
                              .ns = place.ns,
                              .install_rules_hold = true});
        for (const OutcomeProblem& problem : outcome.problems) {
            if (problem.object.empty() != (refusing == Refusing::olm)) continue;
            prediction.problems.push_back(
                (later ? fmt::format("at the step to {}: ", step.bundle->name()) : "") + problem.message +
                (problem.because.empty() ? "" : fmt::format(" ({})", problem.because)));
        }
        if (!prediction.problems.empty()) return;
    }
}

// The accounts and roles of the bundle; none if they cannot be derived, which other checks say.
std::vector<Object> made_by_olm(const BundleContent& content, const InstallPlace& place) {
    std::vector<Object> made;
    try {
        for (Object& object : render_bundle(content, place))
            if (object.kind() == "ServiceAccount" || object.group() == "rbac.authorization.k8s.io")
                made.push_back(std::move(object));
    } catch (const Error&) { // NOLINT(bugprone-empty-catch): as above
    }
    return made;
}

// Asks the server about the first bundle of the path. It may answer otherwise about later ones.
BundleOutcome ask_server(const Kubectl& kubectl, const PredictedExtension& extension,
                         const BundleContent& content, std::string_view package) {
    const BundleManifests bundle = manifests_of(content, package);
    BundleOutcome outcome = v1_outcome(bundle, {.served = admission::ServedApis(kubectl.api_versions()),
                                                .kubernetes_version = {},
                                                .ns = extension.place.ns,
                                                .install_rules_hold = true});
    outcome.not_checked.clear(); // the rules' own: said where they are used
    decide_by_dry_run(kubectl,
                      {.bundle = bundle,
                       .olm = Olm::v1,
                       .ns = extension.place.ns,
                       .extension = extension.name,
                       .made = made_by_olm(content, extension.place)},
                      outcome);
    return outcome;
}

// Why OLM will not get at a bundle; empty if only opcat does not.
std::string unreadable_bundle(const Error& error) {
    if (error.absent()) return fmt::format("OLM cannot pull the bundle: {}", error.what());
    return dynamic_cast<const BrokenBundle*>(&error) ? error.what() : std::string();
}

} // namespace

bool is_decided(const olmv1::Request& request, const V1Catalogs& catalogs) {
    const PredictedPath path = path_from(olmv1::resolve(request, catalogs.named()).choice, request, catalogs);
    if (path.end.empty()) return false;
    for (const olmv1::Choice& step : path.steps)
        if (!deprecations_of(request, step).empty()) return false;
    const olmv1::Choice& last = path.steps.back();
    olmv1::Request at_the_end = request;
    at_the_end.installed =
        olmv1::InstalledBundle{std::string(last.bundle->name()), last.version, last.release};
    return olmv1::resolve(at_the_end, catalogs.named()).choice.has_value();
}

V1Prediction predict_v1(const Kubectl& kubectl, const PredictedExtension& extension,
                        const olmv1::Request& request, const V1Catalogs& catalogs) {
    V1Prediction prediction;
    prediction.resolution = olmv1::resolve(request, catalogs.named());
    explain_catalog(prediction.resolution, prediction.remarks);
    if (std::string equals = olmv1::describe_equals(request, prediction.resolution); !equals.empty())
        prediction.remarks.push_back(std::move(equals));
    PredictedPath& path = prediction.path;
    path = path_from(prediction.resolution.choice, request, catalogs);
    if (extension.rolling_out) explain_revision(*extension.rolling_out, path, prediction);
    if (path.steps.size() > most_steps_shown)
        prediction.remarks.push_back(
            fmt::format("only the first {} of {} steps are compared with the cluster", most_steps_shown,
                        path.steps.size()));
    try {
        const BundleContent* first = nullptr; // read before threads ask for it
        const bool stays = request.installed && !path.steps.empty() &&
                           path.steps.front().bundle->name() == request.installed->name;
        if (!path.steps.empty() && !stays) first = &catalogs.content_of(*path.steps.front().bundle->bundle);
        // A distant server is waited for once.
        BundleOutcome server;
        kubectl.together({[&] {
                              check_install_rules(kubectl, extension, catalogs, prediction);
                              if (prediction.problems.empty())
                                  check_contents(kubectl, extension.place, catalogs, Refusing::olm, {},
                                                 prediction);
                              if (prediction.problems.empty())
                                  check_definitions(kubectl, extension, catalogs, prediction);
                          },
                          [&] {
                              if (first && !first->csv.empty())
                                  server = ask_server(kubectl, extension, *first, request.package);
                          }});
        if (prediction.problems.empty())
            check_contents(kubectl, extension.place, catalogs, Refusing::server, server, prediction);
        if (prediction.problems.empty())
            for (const std::string& what : server.not_checked)
                prediction.remarks.push_back("not checked: " + what);
    } catch (const Error& error) {
        if (std::string problem = unreadable_bundle(error); !problem.empty())
            prediction.problems.push_back(std::move(problem));
        else
            prediction.definitions_unknown = error.what();
    }
    if (!prediction.problems.empty()) path.end.clear();
    return prediction;
}

std::vector<std::vector<Object>> render_path(const PredictedPath& path, const V1Catalogs& catalogs,
                                             const InstallPlace& place) {
    std::vector<std::vector<Object>> bundles;
    for (const olmv1::Choice& step : path.steps)
        bundles.push_back(render_bundle(catalogs.content_of(*step.bundle->bundle), place));
    return bundles;
}

} // namespace opcat::cluster
