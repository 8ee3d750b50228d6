#include "classic_prediction.hpp"

#include "cluster_text.hpp"
#include "resolve/classic/guards.hpp"
#include "session.hpp"
#include "support/error.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace opcat {

using namespace cluster;

namespace {

bool is_same(const Json& a, const Json& b) {
    return kind_of(a) == kind_of(b) && name_of(a) == name_of(b) && namespace_of(a) == namespace_of(b);
}

// Catalogs are loaded only as far as needed: those that Subscriptions name, and all others only if these do
// not do.
class Prophet {
public:
    Prophet(const ClassicSituation& situation, const std::string& package, const ImageFlags& images,
            Session& session)
        : situation_(situation), package_(package), shelf_(session, images) {}

    ClassicPrediction run() {
        std::set<classic::CatalogKey> named;
        for (const classic::Subscription& subscription : situation_.cluster.subscriptions)
            if (subscription.ns == situation_.ns)
                named.emplace(classic::CatalogKey{subscription.source_namespace, subscription.source});
        const classic::Subscription* const mine = subscription(situation_.cluster);
        if (!mine) return std::move(prediction_);
        const classic::CatalogKey key{mine->source_namespace, mine->source};
        for (const auto& [catalog, image] : situation_.images)
            if (named.contains(catalog)) load(catalog, image);
        if (!has(key)) {
            const bool known = std::any_of(
                situation_.cluster.catalog_sources.begin(), situation_.cluster.catalog_sources.end(),
                [&](const classic::CatalogSource& c) { return c.ns == key.ns && c.name == key.name; });
            if (known) {
                prediction_.impossible = failures_.contains(key)
                                             ? failures_[key]
                                             : "catalog " + key.to_string() + " names no image";
                return std::move(prediction_);
            }
        }
        resolve();
        if (!prediction_.error.empty() && load_others()) {
            reset();
            resolve();
        }
        prediction_.possible = true;
        for (const auto& [catalog, image] : situation_.images)
            if (has(catalog)) prediction_.remarks.push_back(fmt::format("foretold from {}", image));
        for (const auto& [catalog, why] : failures_)
            prediction_.remarks.push_back(fmt::format("without catalog {}: {}", catalog.to_string(), why));
        return std::move(prediction_);
    }

private:
    bool has(const classic::CatalogKey& key) const {
        return std::any_of(catalogs_.begin(), catalogs_.end(),
                           [&](const auto& catalog) { return catalog.key == key; });
    }

    void load(const classic::CatalogKey& key, const std::string& image) {
        if (has(key) || failures_.contains(key)) return;
        try {
            catalogs_.push_back(shelf_.catalog(key, image));
        } catch (const Error& error) {
            failures_[key] = error.what();
        }
    }

    bool load_others() {
        const size_t before = catalogs_.size();
        for (const auto& [key, image] : situation_.images)
            if (key.ns == situation_.ns || key.ns == situation_.global_ns) load(key, image);
        return catalogs_.size() > before;
    }

    const classic::Subscription* subscription(const classic::ClusterState& cluster) const {
        for (const classic::Subscription& one : cluster.subscriptions)
            if (one.ns == situation_.ns && one.package == package_) return &one;
        return nullptr;
    }

    void reset() {
        ClassicPrediction fresh;
        fresh.remarks = std::move(prediction_.remarks);
        prediction_ = std::move(fresh);
    }

    // Round after round, as if all went well.
    void resolve() {
        std::deque<classic::ClusterState> states{situation_.cluster};
        for (size_t i = 0; i < classic::most_rounds; ++i) {
            const classic::Request request{situation_.ns, situation_.global_ns, &states.back(), catalogs_};
            const classic::Prediction& round = rounds_.emplace_back(classic::predict(request));
            const classic::Plan& plan = round.plan;
            fail_if_needed(request, round);
            if (!prediction_.error.empty() || !plan.does_something()) break;
            tell(plan, states.back());
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
            // That it would be better not to do what was asked for helps nobody.
            if (const classic::Subscription* const mine = subscription(situation_.cluster))
                std::erase(prediction_.try_this, "remove Subscription " + mine->name);
        }
        for (const Diagnostic& finding : round.findings) {
            if (finding.severity == Severity::error && prediction_.error.empty()) {
                prediction_.error = finding.message;
                if (!finding.help.empty()) prediction_.try_this.push_back(finding.help);
            } else {
                prediction_.remarks.push_back(finding.message);
            }
        }
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

    void tell(const classic::Plan& plan, const classic::ClusterState& cluster) {
        for (const classic::ResolvedOperator* resolved : plan.bundles) {
            const classic::Entry& entry = *resolved->entry;
            const bool upgrade = std::any_of(cluster.csvs.begin(), cluster.csvs.end(), [&](const auto& csv) {
                return !csv.copied && csv.ns == situation_.ns && csv.name == resolved->replaces;
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

    const ClassicSituation& situation_;
    const std::string& package_;
    ClassicShelf shelf_;
    std::vector<classic::AvailableCatalog> catalogs_;
    std::map<classic::CatalogKey, std::string> failures_;
    std::deque<classic::Prediction> rounds_; // which what is told refers to
    ClassicPrediction prediction_;
};

} // namespace

ClassicSituation classic_situation(const ClassicObjects& objects, const std::string& ns,
                                   const std::vector<Json>& added, Session& session) {
    ClassicSituation situation;
    situation.ns = ns;
    std::vector<Json> all = added;
    for (const Json& object : objects.for_resolution())
        if (std::none_of(added.begin(), added.end(), [&](const Json& o) { return is_same(o, object); }))
            all.push_back(object);
    Diagnostics findings;
    classic::read_manifests(std::make_shared<SourceFile>("cluster", to_text(list_of(all))), situation.cluster,
                            findings);
    for (const Diagnostic& finding : findings) session.print_warning(finding.message);
    situation.global_ns = likely_global_namespace(situation.cluster, ns);
    for (const Json& catalog : objects.catalogs)
        if (const std::string image = text(catalog, {"spec", "image"}); !image.empty())
            situation.images.emplace_back(classic::CatalogKey{namespace_of(catalog), name_of(catalog)},
                                          image);
    return situation;
}

ClassicPrediction predict_classic(const ClassicSituation& situation, const std::string& package,
                                  const ImageFlags& images, Session& session) {
    return Prophet(situation, package, images, session).run();
}

void print(const ClassicPrediction& prediction, const Session& session) {
    if (session.options.quiet && prediction.error.empty()) return;
    if (!prediction.possible && prediction.error.empty()) {
        session.print("cannot foretell what OLM will do: " + for_terminal(prediction.impossible, 2) + "\n");
        return;
    }
    if (!prediction.error.empty()) {
        session.print_error("OLM will not do it: " + for_terminal(prediction.error, 2));
        for (const std::string& sentence : prediction.because)
            session.print("  because " + for_terminal(sentence, 4) + "\n");
        for (const std::string& change : prediction.try_this)
            session.print("  would work: " + for_terminal(change, 4) + "\n");
        return;
    }
    if (prediction.plan.empty())
        session.print("OLM will change nothing\n");
    else
        session.print("OLM will\n");
    for (const std::string& line : prediction.plan) session.print("  " + line + "\n");
    for (const std::string& remark : prediction.remarks)
        session.print("  note: " + for_terminal(remark, 4) + "\n");
}

} // namespace opcat
