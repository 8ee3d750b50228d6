#include "opcat/planning/neighbours.hpp"

#include "opcat/base/listed.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace opcat::planning {
namespace {

bool is_upgrade(const PlanStep& step) {
    return step.kind == PlanStep::Kind::upgrade;
}

class Neighbours {
public:
    Neighbours(ClusterPlan& plan, const PlanOptions& options, BundleFacts& facts)
        : plan_(plan), options_(options), facts_(facts) {}

    void run() {
        refuse_packages_of_both();
        std::map<std::string, std::vector<size_t>> namespaces;
        for (size_t i = 0; i < plan_.operators.size(); ++i)
            if (const InstalledOperator& one = installed(i);
                one.olm == OlmGeneration::classic && !one.ns.empty())
                namespaces[one.ns].push_back(i);
        for (const auto& [ns, all] : namespaces) {
            if (all.size() < 2) continue;
            if (std::ranges::any_of(all,
                                    [&](size_t i) { return waits_for_approvals(*plan_.operators[i]); })) {
                plan_with_approvals(ns, all);
                refuse_unwanted_upgrades(ns, all);
            }
            refuse_shared_apis(ns, all);
        }
    }

private:
    const InstalledOperator& installed(size_t i) const { return plan_.operators[i]->installed; }
    bool is_ok(size_t i) const { return plan_.operators[i]->verdict == Verdict::ok; }

    void set_unknown(size_t i, std::string why, std::string hint = {}) {
        auto changed = std::make_shared<OperatorPlan>(*plan_.operators[i]);
        changed->verdict = Verdict::unknown;
        changed->unknown = std::move(why);
        changed->unknown_hint = std::move(hint);
        plan_.operators[i] = std::move(changed);
    }

    void refuse_packages_of_both() {
        std::map<std::string, std::vector<size_t>> by_package;
        for (size_t i = 0; i < plan_.operators.size(); ++i)
            if (!installed(i).package.empty()) by_package[installed(i).package].push_back(i);
        for (const auto& [package, all] : by_package) {
            if (all.size() < 2 ||
                std::ranges::none_of(all, [&](size_t i) { return installed(i).olm == OlmGeneration::v1; }))
                continue;
            for (const size_t i : all)
                set_unknown(i, fmt::format("package {} is installed {} times, also by OLM v1, which installs "
                                           "a package once in a cluster",
                                           package, all.size()));
        }
    }

    void plan_with_approvals(const std::string& ns, const std::vector<size_t>& all) {
        for (const size_t i : all) {
            if (!is_ok(i) || waits_for_approvals(*plan_.operators[i])) continue;
            InstalledOperator one = installed(i);
            one.by_hand = true;
            auto again = std::make_shared<OperatorPlan>(plan_operator(one, plan_.stops, options_));
            if (!again->stops.empty())
                again->stops.front().warnings.push_back(fmt::format(
                    "another Subscription of namespace {} has Manual approval: upgrades of all its "
                    "operators wait for it",
                    ns));
            plan_.operators[i] = std::move(again);
        }
    }

    // An approval makes the next upgrade of each operator of the namespace, wanted or not.
    void refuse_unwanted_upgrades(const std::string& ns, const std::vector<size_t>& all) {
        for (size_t at = 0; at < plan_.stops.size(); ++at) {
            const auto upgrades = [&](size_t i) -> size_t {
                const OperatorPlan& plan = *plan_.operators[i];
                if (at >= plan.stops.size()) return 0;
                return static_cast<size_t>(std::ranges::count_if(plan.stops[at].steps, is_upgrade));
            };
            size_t approvals = 0;
            for (const size_t i : all) approvals = std::max(approvals, upgrades(i));
            std::vector<std::string> unwanted;
            for (const size_t i : all)
                if (at < plan_.operators[i]->stops.size() && upgrades(i) < approvals &&
                    !plan_.operators[i]->stops[at].waits.empty())
                    unwanted.push_back(plan_.operators[i]->stops[at].waits);
            if (unwanted.empty()) continue;
            for (const size_t i : all)
                if (is_ok(i))
                    set_unknown(i,
                                fmt::format("an approval makes all upgrades of namespace {}: on OpenShift {} "
                                            "also to {}, which this plan does not want",
                                            ns, plan_.stops[at].version.to_string(), listed(unwanted)),
                                "plan with Automatic approval in all its Subscriptions, or move operators "
                                "to namespaces of their own");
        }
    }

    // OLM classic resolves nothing for two operators of a namespace that provide the same API.
    void refuse_shared_apis(const std::string& ns, const std::vector<size_t>& all) {
        std::map<classic::Gvk, size_t> providers;
        for (const size_t i : all)
            for (const OperatorStop& stop : std::shared_ptr(plan_.operators[i])->stops) {
                std::vector<const Bundle*> bundles{stop.arrived};
                for (const PlanStep& step : stop.steps) bundles.push_back(step.bundle);
                for (const Bundle* const bundle : bundles)
                    if (bundle)
                        for (const classic::Gvk& api : facts_.of(*bundle).entry.facts->gvks)
                            refuse_second_provider(ns, i, providers.try_emplace(api, i).first->second, api);
            }
    }
    void refuse_second_provider(const std::string& ns, size_t i, size_t first, const classic::Gvk& api) {
        if (first == i) return;
        for (const auto& [one, other] : {std::pair(i, first), std::pair(first, i)})
            if (is_ok(one))
                set_unknown(one, fmt::format("{} also provides {} of {} in namespace {}, and OLM classic "
                                             "resolves only one of them",
                                             installed(other).describe(), api.kind, api.group, ns));
    }

    ClusterPlan& plan_;
    const PlanOptions& options_;
    BundleFacts& facts_;
};

} // namespace

bool waits_for_approvals(const OperatorPlan& plan) {
    if (plan.installed.olm != OlmGeneration::classic) return false;
    return plan.installed.by_hand || std::ranges::any_of(plan.stops, [](const OperatorStop& stop) {
               return std::ranges::any_of(stop.steps, [](const PlanStep& step) {
                   return step.kind == PlanStep::Kind::stop_automatic;
               });
           });
}

void settle_neighbours(ClusterPlan& plan, const PlanOptions& options, BundleFacts& facts) {
    Neighbours(plan, options, facts).run();
}

} // namespace opcat::planning
