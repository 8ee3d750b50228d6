#include "opcat/base/error.hpp"
#include "opcat/base/pull_spec.hpp"
#include "opcat/base/text.hpp"
#include "opcat/cluster/bundle_comparison.hpp"
#include "opcat/cluster/kubectl.hpp"
#include "opcat/cluster/prediction.hpp"
#include "opcat/cluster/state.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/resolve/classic/explain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace opcat::cluster {
namespace {

// Only the catalogs that are needed are loaded: those that Subscriptions name, and the others if the
// resolution fails without them.
class ClassicPredictor {
public:
    ClassicPredictor(const ClassicPredictionRequest& request, const CatalogAccess& access)
        : ns_(request.ns), package_(request.package), inputs_(request.inputs),
          server_version_(request.server_version), approved_to_(request.approved_to), access_(access),
          kubectl_(request.kubectl) {
        read_cluster(request);
    }

    ClassicPrediction run() {
        const classic::Subscription* const mine = subscription(cluster_);
        if (!mine || (bundles_ && bundles_->lacks_account())) return std::move(prediction_);
        const classic::CatalogKey key{mine->source_namespace, mine->source};
        load_named();
        if (!has(key) && (is_known(key) || !all_catalogs_)) {
            prediction_.impossible = failures_.contains(key)
                                         ? failures_[key]
                                         : "you may not read CatalogSource " + key.to_string();
            return std::move(prediction_);
        }
        resolve();
        if (!rounds_.back().resolution.error.empty() && load_others()) {
            reset();
            resolve();
        }
        prediction_.possible = true;
        find_installed(*mine, key);
        for (const CatalogOrigin& catalog : origins_)
            if (has(catalog.key)) describe_source(catalog, catalog.key == key);
        for (const auto& [catalog, why] : failures_)
            prediction_.remarks.push_back(fmt::format("without catalog {}: {}", catalog.to_string(), why));
        return std::move(prediction_);
    }

private:
    // The source of the content of a CatalogSource.
    struct CatalogOrigin {
        classic::CatalogKey key;
        const Object* source;
        std::string image;           // as the CatalogSource says; empty: it has none
        std::string digest;          // that the cluster serves; empty: unknown
        std::string reference = {};  // that was read; empty: none
        std::string not_pulled = {}; // why the image was not read
    };

    void read_cluster(const ClassicPredictionRequest& request) {
        Diagnostics findings;
        for (const Object& object : request.added) classic::add_object(object, cluster_, findings);
        for (const Object& object : request.objects.for_resolution()) {
            const bool approved = !approved_to_.empty() && object.ns == ns_ &&
                                  object.kind() == "InstallPlan" && waits_for_approval(object);
            if (!approved && !kube::find_same(request.added, object))
                classic::add_object(object, cluster_, findings);
        }
        for (const Diagnostic& finding : findings) prediction_.warnings.push_back(finding.message);
        if (kubectl_) {
            InstallingAccount account;
            for (const Object* group : request.objects.groups_in(ns_))
                account = {group->name, std::string(group->text("spec", "serviceAccountName"))};
            bundles_.emplace(*kubectl_, access_, ns_, std::move(account), prediction_);
        }
        pods_ = request.objects.pods;
        global_ns_ = request.objects.global_ns.empty() ? ns_ : request.objects.global_ns;
        all_catalogs_ = request.objects.all_catalogs;
        for (const Object& catalog : request.objects.catalogs)
            origins_.push_back({{catalog.ns, catalog.name},
                                &catalog,
                                std::string(catalog.text("spec", "image")),
                                served_digest(catalog, request.objects.pods)});
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

    // From images, and else from the registries of the catalogs on the cluster.
    void load(const std::function<bool(const classic::CatalogKey&)>& is_wanted) {
        std::vector<CatalogOrigin*> missing;
        for (CatalogOrigin& catalog : origins_)
            if (is_wanted(catalog.key) && !has(catalog.key) && !failures_.contains(catalog.key) &&
                !pull(catalog))
                missing.push_back(&catalog);
        for (const CatalogOrigin* catalog : missing) failures_[catalog->key] = catalog->not_pulled;
        std::vector<std::optional<std::string>> served(missing.size());
        std::vector<std::function<void()>> questions;
        for (size_t i = 0; i < missing.size(); ++i)
            questions.emplace_back([&, i] {
                std::string& failure = failures_.at(missing[i]->key);
                try {
                    served[i] = access_.read_served(*missing[i]->source, pods_);
                } catch (const Error& error) {
                    failure = fmt::format("{}; nor can its registry be asked: {}", missing[i]->not_pulled,
                                          error.what());
                }
            });
        if (kubectl_ && access_.read_served) kubectl_->together(questions);
        for (size_t i = 0; i < missing.size(); ++i)
            if (served[i]) add_served(*missing[i], *served[i]);
    }

    void add_served(CatalogOrigin& catalog, const std::string& text) {
        try {
            const Source source(served_reference(catalog.key),
                                load_served(*catalog.source, text, access_.pool));
            use(catalog, source, {});
            failures_.erase(catalog.key);
        } catch (const Error& error) {
            failures_[catalog.key] = fmt::format("{}; {}", catalog.not_pulled, error.what());
        }
    }

    // Throws Error.
    void read(CatalogOrigin& catalog, const std::string& reference) {
        auto known = sources_.find(reference);
        if (known == sources_.end())
            known = sources_.emplace(reference, Source(reference, access_.load(reference))).first;
        use(catalog, known->second, find_errors(known->second.loaded(), access_.pool));
    }

    void use(CatalogOrigin& catalog, const Source& source, const Diagnostics& errors) {
        catalogs_.push_back(classic::served_catalog(catalog.key, source, errors));
        catalog.reference = source.name();
    }

    bool pull(CatalogOrigin& catalog) {
        if (catalog.image.empty()) {
            catalog.not_pulled = "catalog " + catalog.key.to_string() + " names no image";
            return false;
        }
        const auto spec = PullSpec::parse(catalog.image);
        // The version that the cluster serves is read by its digest: the tag may have moved.
        if (spec && !catalog.digest.empty()) {
            try {
                read(catalog, spec->name() + "@" + catalog.digest);
                return true;
            } catch (const Error&) { // NOLINT(bugprone-empty-catch): it may be gone; then the tag must do
            }
        }
        try {
            read(catalog, catalog.image);
            return true;
        } catch (const Error& error) {
            catalog.not_pulled = error.what();
            return false;
        }
    }

    void load_named() {
        std::set<classic::CatalogKey> named;
        for (const classic::Subscription& subscription : cluster_.subscriptions)
            if (subscription.ns == ns_)
                named.emplace(classic::CatalogKey{subscription.source_namespace, subscription.source});
        load([&](const classic::CatalogKey& key) { return named.contains(key); });
    }

    bool load_others() {
        const size_t before = catalogs_.size();
        load([&](const classic::CatalogKey& key) { return key.ns == ns_ || key.ns == global_ns_; });
        return catalogs_.size() > before;
    }

    void describe_source(const CatalogOrigin& catalog, bool is_mine) {
        std::vector<std::string>& remarks = prediction_.remarks;
        const std::string name = catalog.key.to_string();
        if (catalog.reference == served_reference(catalog.key)) {
            remarks.push_back(fmt::format("predicted from what catalog {} serves on the cluster, because {}",
                                          name, catalog.not_pulled));
            return;
        }
        bool moved = false;
        if (!catalog.digest.empty() && access_.still_names) {
            try {
                moved = !access_.still_names(catalog.image, catalog.digest);
            } catch (const Error&) { // NOLINT(bugprone-empty-catch): then nobody knows
            }
        }
        if (moved && is_mine) prediction_.newer_waits = name;
        if (!moved) {
            remarks.push_back(fmt::format("predicted from {}", catalog.image));
        } else if (catalog.reference != catalog.image) {
            remarks.push_back(
                fmt::format("predicted from what catalog {} serves ({}); its image {} is newer now, "
                            "and the cluster has not read that yet",
                            name, catalog.digest, catalog.image));
        } else {
            remarks.push_back(
                fmt::format("predicted from {}, which is newer than what catalog {} serves ({}): "
                            "that is no longer available",
                            catalog.image, name, catalog.digest));
        }
    }

    void find_installed(const classic::Subscription& mine, const classic::CatalogKey& key) {
        const std::string& installed = mine.installed_csv;
        if (installed.empty()) return;
        for (const classic::AvailableCatalog& catalog : catalogs_) {
            if (!(catalog.key == key) || !catalog.snapshot) continue;
            prediction_.installed_in_catalog = prediction_.installed_in_channel = false;
            const auto found = catalog.snapshot->by_name.find(installed);
            if (found == catalog.snapshot->by_name.end()) return;
            for (const uint32_t position : found->second) {
                const classic::Entry& entry = catalog.snapshot->entries[position];
                if (entry.package != package_) continue;
                prediction_.installed_in_catalog = true;
                if (mine.channel.empty() || entry.channel == mine.channel)
                    prediction_.installed_in_channel = true;
            }
        }
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
        if (bundles_) bundles_->forget();
    }

    // Without catalogs that are served but were not read, which would prevent an answer.
    classic::ClusterState with_catalogs_read() const {
        classic::ClusterState cluster = cluster_;
        std::erase_if(cluster.catalog_sources, [&](const classic::CatalogSource& source) {
            const std::string_view state = source.text("status", "connectionState", "lastObservedState");
            return (state.empty() || state == "READY") && !has({source.ns, source.name});
        });
        return cluster;
    }

    // Round after round, assuming success.
    void resolve() {
        std::deque<classic::ClusterState> states{with_catalogs_read()};
        for (size_t i = 0; i < classic::most_rounds; ++i) {
            const classic::Request request{ns_, global_ns_, &states.back(), catalogs_};
            const classic::Prediction& round = rounds_.emplace_back(classic::predict(request, inputs_));
            const classic::Plan& plan = round.plan;
            fail_if_needed(request, round);
            if (!prediction_.error.empty() || !plan.does_something()) break;
            describe_plan(plan, states.back());
            note_deprecations(plan);
            check_kubernetes(plan);
            if (bundles_) bundles_->check(plan, states.back());
            if (!prediction_.error.empty()) break;
            states.push_back(classic::carried_out(request, plan));
            // With manual approval each step is separate, unless it will be approved.
            const classic::Subscription* const now = subscription(states.back());
            if (plan.manual && (approved_to_.empty() || !now || now->current_csv == approved_to_)) break;
        }
        if (const classic::Subscription* const mine = subscription(states.back()))
            prediction_.target = mine->current_csv.empty() ? mine->installed_csv : mine->current_csv;
    }

    void fail_if_needed(const classic::Request& request, const classic::Prediction& round) {
        prediction_.error = round.resolution.error;
        if (!round.resolution.error.empty()) {
            for (const classic::Sentence& sentence : classic::explain_failure(round.resolution))
                prediction_.because.push_back(sentence.text);
            prediction_.try_this = classic::suggest_changes(request, round.resolution);
            // A suggestion not to do what the user asked for does not help.
            if (const classic::Subscription* const mine = subscription(cluster_))
                std::erase(prediction_.try_this, "remove Subscription " + mine->name);
        }
        for (const Diagnostic& finding : round.findings) {
            // Only catalogs that are needed are read.
            if (finding.rule == "classic-catalog-missing") continue;
            if (finding.severity == Severity::error && prediction_.error.empty()) {
                prediction_.error = finding.message;
                if (!finding.help.empty()) prediction_.try_this.push_back(finding.help);
            } else {
                prediction_.add_remark(finding.message);
            }
        }
    }

    // Those of the last step count.
    void note_deprecations(const classic::Plan& plan) {
        for (const classic::ResolvedOperator* resolved : plan.bundles) {
            const classic::Entry& entry = *resolved->entry;
            if (entry.package != package_ || !entry.bundle) continue;
            prediction_.deprecations =
                deprecations_of(*entry.snapshot->catalog, entry.package, shown_channel(entry), entry.name);
        }
    }

    // OLM classic resolves and creates the ClusterServiceVersion nevertheless, which then remains Pending.
    void check_kubernetes(const classic::Plan& plan) {
        for (const classic::ResolvedOperator* resolved : plan.bundles)
            if (const classic::Entry& entry = *resolved->entry; entry.bundle && prediction_.error.empty())
                prediction_.error = unmet_min_kube_version(
                    std::string(entry.name), classic::min_kube_version_of(*entry.bundle), server_version_);
    }

    // If several channels have the bundle, the package's default is the most significant.
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
            if (entry.package == package_) prediction_.path.emplace_back(entry.name);
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
    const std::string& approved_to_;
    std::string global_ns_;
    bool all_catalogs_ = true;
    classic::ClusterState cluster_;
    std::vector<CatalogOrigin> origins_; // of each CatalogSource
    std::span<const Object> pods_;
    const CatalogAccess& access_;
    const Kubectl* kubectl_;
    std::map<std::string, Source> sources_; // by reference: several CatalogSources may have one image
    std::vector<classic::AvailableCatalog> catalogs_;
    std::map<classic::CatalogKey, std::string> failures_;
    std::deque<classic::Prediction> rounds_; // states and plans refer to them
    ClassicPrediction prediction_;
    std::optional<BundleComparison> bundles_; // with a cluster
};

} // namespace

ClassicPrediction predict_classic(const ClassicPredictionRequest& request, const CatalogAccess& access) {
    return ClassicPredictor(request, access).run();
}

} // namespace opcat::cluster
