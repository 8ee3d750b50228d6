#include "opcat/cluster/prediction.hpp"

#include "opcat/base/error.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/plain_set.hpp"
#include "opcat/cluster/snapshot.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/kube/crd.hpp"
#include "opcat/resolve/classic/explain.hpp"
#include "opcat/resolve/classic/preflight.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace opcat::cluster {
namespace {

// Catalogs are loaded only as far as needed: those that Subscriptions name, and the others only if the
// resolution fails without them.
class ClassicPredictor {
public:
    ClassicPredictor(const ClassicPredictionRequest& request, const CatalogAccess& access)
        : ns_(request.ns), package_(request.package), inputs_(request.inputs),
          server_version_(request.server_version), cache_(access) {
        read_cluster(request);
    }

    ClassicPrediction run() {
        const classic::Subscription* const mine = subscription(cluster_);
        if (!mine) return std::move(prediction_);
        const classic::CatalogKey key{mine->source_namespace, mine->source};
        load_named();
        if (!has(key) && (is_known(key) || !all_catalogs_)) {
            prediction_.impossible = failures_.contains(key) ? failures_[key]
                                     : is_known(key) ? "catalog " + key.to_string() + " names no image"
                                                     : "you may not read CatalogSource " + key.to_string();
            return std::move(prediction_);
        }
        resolve();
        if (!prediction_.error.empty() && load_others()) {
            reset();
            resolve();
        }
        prediction_.possible = true;
        for (const auto& [catalog, image] : images_)
            if (has(catalog)) prediction_.remarks.push_back(fmt::format("predicted from {}", image));
        for (const auto& [catalog, why] : failures_)
            prediction_.remarks.push_back(fmt::format("without catalog {}: {}", catalog.to_string(), why));
        return std::move(prediction_);
    }

private:
    void read_cluster(const ClassicPredictionRequest& request) {
        Diagnostics findings;
        for (const Object& object : request.added) classic::add_object(object, cluster_, findings);
        for (const Object& object : request.objects.for_resolution())
            if (!kube::find_same(request.added, object)) classic::add_object(object, cluster_, findings);
        for (const Diagnostic& finding : findings) prediction_.warnings.push_back(finding.message);
        global_ns_ = request.objects.global_ns.empty() ? ns_ : request.objects.global_ns;
        all_catalogs_ = request.objects.all_catalogs;
        for (const Object& catalog : request.objects.catalogs)
            if (const std::string image(catalog.text("spec", "image")); !image.empty())
                images_.emplace_back(classic::CatalogKey{catalog.ns, catalog.name}, image);
    }

    bool has(const classic::CatalogKey& key) const {
        return std::any_of(catalogs_.begin(), catalogs_.end(),
                           [&](const auto& catalog) { return catalog.key == key; });
    }

    bool is_known(const classic::CatalogKey& key) const {
        return std::any_of(
            cluster_.catalog_sources.begin(), cluster_.catalog_sources.end(),
            [&](const classic::CatalogSource& c) { return c.ns == key.ns && c.name == key.name; });
    }

    void load(const classic::CatalogKey& key, const std::string& image) {
        if (has(key) || failures_.contains(key)) return;
        try {
            catalogs_.push_back(cache_.catalog(key, image));
        } catch (const Error& error) {
            failures_[key] = error.what();
        }
    }

    void load_named() {
        std::set<classic::CatalogKey> named;
        for (const classic::Subscription& subscription : cluster_.subscriptions)
            if (subscription.ns == ns_)
                named.emplace(classic::CatalogKey{subscription.source_namespace, subscription.source});
        for (const auto& [catalog, image] : images_)
            if (named.contains(catalog)) load(catalog, image);
    }

    bool load_others() {
        const size_t before = catalogs_.size();
        for (const auto& [key, image] : images_)
            if (key.ns == ns_ || key.ns == global_ns_) load(key, image);
        return catalogs_.size() > before;
    }

    const classic::Subscription* subscription(const classic::ClusterState& cluster) const {
        for (const classic::Subscription& one : cluster.subscriptions)
            if (one.ns == ns_ && one.package == package_) return &one;
        return nullptr;
    }

    void reset() {
        ClassicPrediction fresh;
        fresh.warnings = std::move(prediction_.warnings);
        fresh.remarks = std::move(prediction_.remarks);
        prediction_ = std::move(fresh);
    }

    // Round after round, as if all went well.
    void resolve() {
        std::deque<classic::ClusterState> states{cluster_};
        for (size_t i = 0; i < classic::most_rounds; ++i) {
            const classic::Request request{ns_, global_ns_, &states.back(), catalogs_};
            const classic::Prediction& round = rounds_.emplace_back(classic::predict(request, inputs_));
            const classic::Plan& plan = round.plan;
            fail_if_needed(request, round);
            if (!prediction_.error.empty() || !plan.does_something()) break;
            describe_plan(plan, states.back());
            check_kubernetes(plan);
            if (!prediction_.error.empty()) break;
            states.push_back(classic::carried_out(request, plan));
            // With approval by hand each step is a matter of its own.
            if (plan.manual) break;
        }
        if (const classic::Subscription* const mine = subscription(states.back()))
            prediction_.target = mine->current_csv.empty() ? mine->installed_csv : mine->current_csv;
    }

    void fail_if_needed(const classic::Request& request, const classic::Prediction& round) {
        prediction_.error = round.error();
        if (!round.resolution.error.empty()) {
            for (const classic::Sentence& sentence : classic::explain_failure(round.resolution))
                prediction_.because.push_back(sentence.text);
            prediction_.try_this = classic::suggest_changes(request, round.resolution);
            // Not to do what was asked for is not a suggestion that helps.
            if (const classic::Subscription* const mine = subscription(cluster_))
                std::erase(prediction_.try_this, "remove Subscription " + mine->name);
        }
        for (const Diagnostic& finding : round.findings) {
            if (finding.severity == Severity::error && prediction_.error.empty()) {
                prediction_.error = finding.message;
                if (!finding.help.empty()) prediction_.try_this.push_back(finding.help);
            } else {
                add_remark(finding.message);
            }
        }
    }

    // OLM classic resolves and creates the ClusterServiceVersion nevertheless, which then stays Pending.
    void check_kubernetes(const classic::Plan& plan) {
        for (const classic::ResolvedOperator* resolved : plan.bundles)
            if (const classic::Entry& entry = *resolved->entry; entry.bundle && prediction_.error.empty())
                prediction_.error = kubernetes_too_old(
                    std::string(entry.name), classic::min_kube_version_of(*entry.bundle), server_version_);
    }

    // Each round finds the same again.
    void add_remark(const std::string& remark) {
        std::vector<std::string>& remarks = prediction_.remarks;
        if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) remarks.push_back(remark);
    }

    // Of several channels that have the bundle, the package's default says most.
    static std::string_view shown_channel(const classic::Entry& entry) {
        const auto found = entry.snapshot->by_name.find(entry.name);
        if (found != entry.snapshot->by_name.end())
            for (const uint32_t position : found->second)
                if (entry.snapshot->entries[position].default_channel)
                    return entry.snapshot->entries[position].channel;
        return entry.channel;
    }

    void describe_plan(const classic::Plan& plan, const classic::ClusterState& cluster) {
        for (const classic::ResolvedOperator* resolved : plan.bundles) {
            const classic::Entry& entry = *resolved->entry;
            const bool upgrade = std::any_of(cluster.csvs.begin(), cluster.csvs.end(), [&](const auto& csv) {
                return !csv.copied && csv.ns == ns_ && csv.name == resolved->replaces;
            });
            std::string line = fmt::format("{} {}", upgrade ? "upgrade to" : "install", entry.name);
            if (upgrade) line += fmt::format(" from {}", resolved->replaces);
            line += fmt::format(" (channel {}, catalog {})", shown_channel(entry),
                                entry.snapshot->key.to_string());
            if (entry.package != package_) {
                const bool dependency = std::any_of(
                    plan.new_subscriptions.begin(), plan.new_subscriptions.end(),
                    [&](const classic::PlannedSubscription& s) { return s.entry->package == entry.package; });
                line += dependency ? ", which is required" : ", another operator of the namespace";
            }
            prediction_.plan.push_back(std::move(line));
        }
    }

    const std::string& ns_;
    const std::string& package_;
    const classic::InputNames& inputs_;
    const std::string& server_version_;
    std::string global_ns_;
    bool all_catalogs_ = true;
    classic::ClusterState cluster_;
    // Of each CatalogSource that has one, its image.
    std::vector<std::pair<classic::CatalogKey, std::string>> images_;
    ClassicCatalogCache cache_;
    std::vector<classic::AvailableCatalog> catalogs_;
    std::map<classic::CatalogKey, std::string> failures_;
    std::deque<classic::Prediction> rounds_; // states and plans refer to them
    ClassicPrediction prediction_;
};

} // namespace

std::string kubernetes_too_old(const std::string& csv, const std::string& min_kube_version,
                               const std::string& server_version) {
    const auto parse = [](std::string_view text) {
        if (text.starts_with('v')) text.remove_prefix(1);
        return semver::Version::parse(std::string(text.substr(0, text.find_first_of("-+"))));
    };
    const auto needed = parse(min_kube_version);
    const auto server = parse(server_version);
    if (!needed || !server || !(*server < *needed)) return {};
    return fmt::format(
        "{} needs Kubernetes {} (minKubeVersion), and the cluster has {}: it would stay Pending", csv,
        min_kube_version, server_version);
}

ClassicPrediction predict_classic(const ClassicPredictionRequest& request, const CatalogAccess& access) {
    return ClassicPredictor(request, access).run();
}

namespace {

std::vector<olmv1::Choice> steps_from(std::optional<olmv1::Choice> next, olmv1::Request request,
                                      const V1Catalogs& catalogs) {
    constexpr size_t most = 10;
    std::vector<olmv1::Choice> steps;
    while (next && steps.size() < most &&
           (steps.empty() || next->bundle->name() != steps.back().bundle->name())) {
        steps.push_back(*next);
        request.installed =
            olmv1::InstalledBundle{std::string(next->bundle->name()), next->version, next->release};
        next = olmv1::resolve(request, catalogs.named()).choice;
    }
    return steps;
}

// The owner of a CustomResourceDefinition that keeps the extension from having it; empty if none does.
std::string other_owner(const Object& crd, const std::string& extension) {
    const std::string_view owner = crd.label(owner_name_label);
    if (owner == extension) return {};
    if (!owner.empty()) return fmt::format("of ClusterExtension {}", owner);
    if (crd.label("olm.managed") == "true") return "of an operator of OLM classic";
    if (!crd.label(set_label).empty()) return "of an operator without OLM";
    return "nobody's that OLM v1 knows";
}

// The definition as the cluster has it after an upgrade: versions that were stored once stay in its status.
Object upgraded(const Fields& before, const Object& wanted) {
    Json after = json_of(wanted.value());
    std::vector<std::string> stored = before.strings("status", "storedVersions");
    for (const Fields version : wanted.items("spec", "versions"))
        if (const std::string_view name = version.text("name");
            version.flag("storage") && std::find(stored.begin(), stored.end(), name) == stored.end())
            stored.emplace_back(name);
    after["status"]["storedVersions"] = std::move(stored);
    return object_of(after);
}

// Throws Error if a bundle cannot be read.
std::vector<std::string> definition_problems(const Kubectl& kubectl, const std::string& extension,
                                             const std::vector<olmv1::Choice>& steps,
                                             const V1Catalogs& catalogs) {
    std::map<std::string, Object> definitions;
    std::vector<std::string> problems;
    for (const olmv1::Choice& step : steps) {
        const bool later = &step != &steps.front();
        for (const Object& crd : catalogs.content_of(*step.bundle->bundle).crds) {
            const std::string& name = crd.name;
            if (!definitions.contains(name))
                if (auto existing = kubectl.get(resource::crds, name)) {
                    if (const std::string owner = other_owner(*existing, extension); !owner.empty())
                        problems.push_back(fmt::format("CustomResourceDefinition '{}' already exists and "
                                                       "cannot be managed by operator-controller: it is {}",
                                                       name, owner));
                    else
                        definitions.emplace(name, std::move(*existing));
                }
            const auto before = definitions.find(name);
            if (before != definitions.end())
                for (const std::string& danger : kube::unsafe_changes(before->second, crd))
                    problems.push_back(fmt::format(
                        "{}validating upgrade for CRD \"{}\": {}",
                        later ? fmt::format("on the way, at {}: ", step.bundle->name()) : "", name, danger));
            definitions[name] = upgraded(before == definitions.end() ? Fields() : before->second, crd);
        }
        if (!problems.empty()) break;
    }
    return problems;
}

void check_install_modes(const Kubectl& kubectl, const RenderOptions& place, const V1Catalogs& catalogs,
                         V1Prediction& prediction) {
    std::optional<bool> experimental;
    for (const olmv1::Choice& step : prediction.path.steps) {
        const BundleContent& content = catalogs.content_of(*step.bundle->bundle);
        // Most bundles support all namespaces: then the set of features does not matter.
        if (refused_install_mode(content, place, false).empty()) continue;
        if (!experimental) experimental = is_experimental(kubectl);
        std::string refused = refused_install_mode(content, place, *experimental);
        if (refused.empty()) continue;
        prediction.needs_watch_namespace = *experimental;
        const bool later = &step != &prediction.path.steps.front();
        prediction.problems.push_back((later ? fmt::format("on the way, at {}: ", step.bundle->name()) : "") +
                                      refused);
        return;
    }
}

} // namespace

bool is_experimental(const Kubectl& kubectl) {
    // Only the experimental set serves ClusterObjectSets.
    const Object served = kube::parse_object(kubectl.raw(fmt::format("/apis/{}/v1", resource::v1_group)),
                                             "the resources of OLM v1");
    for (const Fields resource : served.items("resources"))
        if (resource.text("name") == "clusterobjectsets") return true;
    return false;
}

V1Prediction predict_v1(const Kubectl& kubectl, const std::string& extension, const olmv1::Request& request,
                        const V1Catalogs& catalogs, const RenderOptions& place) {
    V1Prediction prediction;
    prediction.resolution = olmv1::resolve(request, catalogs.named());
    PredictedPath& path = prediction.path;
    path.steps = steps_from(prediction.resolution.choice, request, catalogs);
    try {
        check_install_modes(kubectl, place, catalogs, prediction);
        if (prediction.problems.empty())
            prediction.problems = definition_problems(kubectl, extension, path.steps, catalogs);
    } catch (const Error& error) {
        prediction.definitions_unknown = error.what();
    }
    if (!path.steps.empty() && prediction.problems.empty()) path.end = path.steps.back().bundle->name();
    return prediction;
}

std::vector<Object> render_path(const PredictedPath& path, const V1Catalogs& catalogs,
                                const RenderOptions& options) {
    std::vector<Object> objects;
    for (const olmv1::Choice& step : path.steps)
        for (Object& object : render_bundle(catalogs.content_of(*step.bundle->bundle), options))
            objects.push_back(std::move(object));
    return objects;
}

std::optional<olmv1::InstalledBundle> installed_of(const Object& extension) {
    const std::string_view name = extension.text("status", "install", "bundle", "name");
    if (name.empty()) return std::nullopt;
    return olmv1::InstalledBundle{std::string(name),
                                  std::string(extension.text("status", "install", "bundle", "version")),
                                  std::nullopt};
}

} // namespace opcat::cluster
