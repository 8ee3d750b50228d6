// The order of steps of several operators: what OLM classic requires of one of them holds after each
// resolution (docs/spec/resolution-classic.md).
#include "opcat/planning/neighbours.hpp"
#include "opcat/planning/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <utility>

namespace opcat::planning {

namespace {

class Orderer {
public:
    Orderer(ClusterPlan& plan, const PlanOptions& options, BundleFacts& facts)
        : plan_(plan), options_(options), facts_(facts) {}

    void run() {
        settle_neighbours(plan_, options_, facts_);
        for (const auto& one : plan_.operators)
            if (waits_for_approvals(*one)) approving_.insert(one->installed.ns);
        approving_.erase("");
        for (size_t i = 0; i < plan_.operators.size(); ++i)
            if (is_classic(i)) by_namespace_[plan_.operators[i]->installed.ns].push_back(i);
        by_namespace_.erase(""); // not known: nobody's neighbours
        const size_t count = plan_.operators.size();
        current_.assign(count, nullptr);
        stuck_.assign(count, false);
        // One operator that goes further may require another one to.
        constexpr size_t most_rounds = 16;
        demands_.resize(count);
        for (size_t round = 0; round < most_rounds && plan_again(); ++round) {
        }
        look_for_requirements();
        for (size_t at = 0; at < plan_.stops.size(); ++at) {
            ClusterStop& stop = plan_.order.emplace_back();
            stop.version = plan_.stops[at].version;
            for (size_t i = 0; i < count; ++i)
                if (const OperatorStop* const own = stop_of(i, at); own && own->arrived)
                    current_[i] = own->arrived;
            made_.assign(count, 0);
            make_steps(at, false, stop.after);
            // An upgrade that OLM holds back because of a requirement comes as soon as that is fulfilled.
            for (const Waiting& one : make_steps(at, true, stop.before)) give_up(at, one);
        }
    }

private:
    const OperatorStop* stop_of(size_t i, size_t at) const {
        const auto& stops = plan_.operators[i]->stops;
        return at < stops.size() && !stuck_[i] ? &stops[at] : nullptr;
    }
    bool is_classic(size_t i) const { return plan_.operators[i]->installed.olm == OlmGeneration::classic; }
    // OLM classic resolves namespace by namespace. One that is not known may be any.
    bool are_together(size_t a, size_t b) const {
        const std::string& one = plan_.operators[a]->installed.ns;
        const std::string& other = plan_.operators[b]->installed.ns;
        return is_classic(a) && is_classic(b) && (one.empty() || other.empty() || one == other);
    }

    template <typename Visit>
    void for_each_bundle(size_t i, Visit visit) const {
        for (const OperatorStop& stop : plan_.operators[i]->stops) {
            if (stop.arrived) visit(*stop.arrived);
            for (const PlanStep& step : stop.steps)
                if (step.bundle) visit(*step.bundle);
        }
    }

    // Requirements that no operator fulfils anywhere on its way: nobody knows what does.
    void look_for_requirements() {
        for (size_t i = 0; i < plan_.operators.size(); ++i) {
            if (!is_classic(i)) continue;
            std::string unknown;
            for_each_bundle(i, [&](const Bundle& bundle) {
                const BundleFacts::Known& known = facts_.of(bundle);
                if (!known.problem.empty() && unknown.empty())
                    unknown =
                        fmt::format("what {} requires cannot be read: {}", bundle.name.text, known.problem);
                for (size_t r = 0; r < known.requirements.size(); ++r) {
                    any_ = true;
                    if (unknown.empty() && !is_fulfilled_anywhere(i, {&bundle, r, 0}))
                        unknown =
                            fmt::format("{} requires an operator {}, and none of the named ones is that "
                                        "on its way",
                                        bundle.name.text, known.requirements[r].predicate.text);
                }
            });
            if (!unknown.empty() && plan_.operators[i]->verdict == Verdict::ok)
                change(i, [&](OperatorPlan& plan) {
                    plan.verdict = Verdict::unknown;
                    plan.unknown = unknown;
                    plan.unknown_hint = "name all operators of its namespace, with their versions";
                });
        }
    }

    // Plans one operator again that could fulfil what another one requires, and does not on its way. False:
    // there is none.
    bool plan_again() {
        for (size_t i = 0; i < plan_.operators.size(); ++i) {
            if (!is_classic(i) || plan_.operators[i]->verdict != Verdict::ok) continue;
            const auto plan = plan_.operators[i]; // which may be replaced
            for (uint32_t at = 0; at < plan->stops.size(); ++at) {
                std::vector<const Bundle*> bundles{plan->stops[at].arrived};
                for (const PlanStep& step : plan->stops[at].steps) bundles.push_back(step.bundle);
                for (const Bundle* bundle : bundles) {
                    if (!bundle) continue;
                    for (size_t r = 0; r < facts_.of(*bundle).requirements.size(); ++r)
                        if (const Demand demand{bundle, r, at};
                            !is_fulfilled_anywhere(i, demand) && is_met_by_another(i, demand))
                            return true;
                }
            }
        }
        return false;
    }

    bool is_met_by_another(size_t i, const Demand& demand) {
        for (size_t other = 0; other < plan_.operators.size(); ++other) {
            const InstalledOperator& installed = plan_.operators[other]->installed;
            if (other == i || !are_together(i, other) || plan_.operators[other]->verdict != Verdict::ok)
                continue;
            bool offers = false;
            for (const PlatformCatalog* catalog : plan_.stops[demand.from_stop].catalogs)
                if (const PackageGraph* const package = catalog->index->find(installed.package))
                    offers = offers || facts_.fulfils(*package, demand);
            if (!offers) continue;
            Demands wanted{demands_[other].all, &facts_};
            wanted.all.push_back(demand);
            OperatorPlan again = plan_operator(installed, plan_.stops, options_, wanted);
            if (again.verdict != Verdict::ok) continue;
            demands_[other] = std::move(wanted);
            plan_.operators[other] = std::make_shared<const OperatorPlan>(std::move(again));
            return true;
        }
        return false;
    }

    bool is_fulfilled_anywhere(size_t i, const Demand& demand) {
        bool found = false;
        for (size_t other = 0; other < plan_.operators.size() && !found; ++other)
            if (are_together(i, other))
                for_each_bundle(
                    other, [&](const Bundle& bundle) { found = found || facts_.fulfils(bundle, demand); });
        return found;
    }

    // Returns a requirement that nothing installed fulfils, although a version on the way does.
    std::string broken_requirement(const std::vector<const Bundle*>& installed, size_t moved) {
        for (size_t i = 0; i < installed.size(); ++i) {
            if (!installed[i] || !is_classic(i) || !are_together(i, moved)) continue;
            const BundleFacts::Known& known = facts_.of(*installed[i]);
            for (size_t r = 0; r < known.requirements.size(); ++r) {
                bool holds = false;
                for (size_t other = 0; other < installed.size() && !holds; ++other)
                    holds = installed[other] && are_together(i, other) &&
                            facts_.fulfils(*installed[other], {installed[i], r, 0});
                if (!holds && is_fulfilled_anywhere(i, {installed[i], r, 0}))
                    return fmt::format("{} requires an operator {}", installed[i]->name.text,
                                       known.requirements[r].predicate.text);
            }
        }
        return {};
    }

    struct Waiting {
        size_t operator_index;
        size_t next; // step
        size_t end;
    };

    // Makes the steps of a stop that come by themselves on arrival, or all that are left. Returns the
    // operators with steps that cannot be made.
    std::list<Waiting> make_steps(size_t at, bool all, std::vector<std::vector<StepRef>>& groups) {
        std::list<Waiting> waiting;
        for (size_t i = 0; i < plan_.operators.size(); ++i)
            if (const OperatorStop* const stop = stop_of(i, at)) {
                const Waiting one{i, made_[i], all ? stop->steps.size() : stop->after};
                if (one.next < one.end) waiting.push_back(one);
            }
        while (make_one(at, waiting, groups) || make_together(at, waiting, groups)) {
        }
        return waiting;
    }

    bool share_namespace(size_t a, size_t b) const {
        const std::string& ns = plan_.operators[a]->installed.ns;
        return a != b && is_classic(a) && is_classic(b) && !ns.empty() &&
               ns == plan_.operators[b]->installed.ns;
    }

    // The operator of its namespace without whose next step an upgrade is not made, or not alone what is
    // approved; nothing: there is none.
    std::optional<size_t> held_up_by(size_t at, const Waiting& one) const {
        const size_t i = one.operator_index;
        const auto neighbours = by_namespace_.find(plan_.operators[i]->installed.ns);
        if (step_of(at, one).kind != PlanStep::Kind::upgrade || !is_classic(i) ||
            neighbours == by_namespace_.end())
            return std::nullopt;
        for (const size_t other : neighbours->second) {
            const OperatorStop* const stop = other == i ? nullptr : stop_of(other, at);
            if (!stop) continue;
            if (stop->stops_namespace && made_[other] == 0) return other;
            const bool has_step = made_[other] < stop->steps.size();
            if (approving_.contains(plan_.operators[i]->installed.ns) && has_step &&
                stop->steps[made_[other]].kind != PlanStep::Kind::upgrade)
                return other;
        }
        return std::nullopt;
    }

    // Of a namespace whose upgrades wait for approvals: all that the next approval makes.
    std::vector<Waiting*> approved_with(size_t at, Waiting& one, std::list<Waiting>& waiting) {
        std::vector<Waiting*> these{&one};
        if (!approving_.contains(plan_.operators[one.operator_index]->installed.ns)) return these;
        for (Waiting& other : waiting)
            if (share_namespace(one.operator_index, other.operator_index) &&
                step_of(at, other).kind == PlanStep::Kind::upgrade)
                these.push_back(&other);
        return these;
    }

    void give_up(size_t at, const Waiting& one) {
        if (const auto other = held_up_by(at, one)) {
            const std::string why = fmt::format(
                "OLM classic resolves nothing in namespace {} on OpenShift {}: the channel of {} is not in "
                "the catalog, or has no order",
                plan_.operators[*other]->installed.ns, plan_.stops[at].version.to_string(),
                plan_.operators[*other]->installed.describe());
            change(one.operator_index, [&](OperatorPlan& plan) {
                plan.verdict = Verdict::unknown;
                plan.unknown = why;
                plan.unknown_hint = "change that channel first, and plan again";
                plan.stops.resize(at + 1);
            });
            stuck_[one.operator_index] = true;
            return;
        }
        std::vector<const Bundle*> after = current_;
        after[one.operator_index] = step_of(at, one).bundle;
        const std::string why = broken_requirement(after, one.operator_index);
        const std::string to = step_of(at, one).to;
        change(one.operator_index, [&](OperatorPlan& plan) {
            plan.verdict = Verdict::blocked;
            plan.blocked = {Obstacle::Kind::requirement,
                            fmt::format("with {} on OpenShift {}, {}, and no order of the steps fulfils that",
                                        to, plan_.stops[at].version.to_string(), why)};
            plan.way_out =
                "there is none in these catalogs: wait for an upgrade, or uninstall one of the two";
            plan.stops.resize(at + 1);
        });
        stuck_[one.operator_index] = true;
    }

    const PlanStep& step_of(size_t at, const Waiting& one) const {
        return plan_.operators[one.operator_index]->stops[at].steps[one.next];
    }

    // The first step that can be made alone. An operator that has no more of them waits no more.
    bool make_one(size_t at, std::list<Waiting>& waiting, std::vector<std::vector<StepRef>>& groups) {
        for (auto one = waiting.begin(); one != waiting.end(); ++one) {
            const size_t i = one->operator_index;
            if (held_up_by(at, *one)) continue;
            if (step_of(at, *one).kind == PlanStep::Kind::upgrade)
                if (const auto these = approved_with(at, *one, waiting); these.size() > 1) {
                    if (make_group(at, these, waiting, groups)) return true;
                    continue;
                }
            if (const Bundle* const bundle = step_of(at, *one).bundle) {
                const Bundle* const before = std::exchange(current_[i], bundle);
                if (any_ && !broken_requirement(current_, i).empty()) {
                    current_[i] = before;
                    continue;
                }
            }
            groups.push_back({{i, one->next++}});
            made_[i] = one->next;
            if (one->next == one->end) waiting.erase(one);
            return true;
        }
        return false;
    }

    // In one resolution. False: what is required would not hold.
    bool make_group(size_t at, const std::vector<Waiting*>& these, std::list<Waiting>& waiting,
                    std::vector<std::vector<StepRef>>& groups) {
        std::vector<const Bundle*> after = current_;
        for (const Waiting* one : these) {
            if (held_up_by(at, *one)) return false;
            if (const Bundle* const bundle = step_of(at, *one).bundle) after[one->operator_index] = bundle;
        }
        for (const Waiting* one : these)
            if (any_ && !broken_requirement(after, one->operator_index).empty()) return false;
        std::vector<StepRef>& group = groups.emplace_back();
        for (Waiting* one : these) {
            group.push_back({one->operator_index, one->next++});
            made_[one->operator_index] = one->next;
        }
        current_ = std::move(after);
        std::erase_if(waiting, [](const Waiting& one) { return one.next == one.end; });
        return true;
    }

    // Two, or all of a namespace, in one resolution.
    bool make_together(size_t at, std::list<Waiting>& waiting, std::vector<std::vector<StepRef>>& groups) {
        for (Waiting& a : waiting) {
            std::vector<Waiting*> all;
            for (Waiting& b : waiting)
                if (are_together(a.operator_index, b.operator_index)) all.push_back(&b);
            for (Waiting* b : all)
                if (b != &a && make_group(at, {&a, b}, waiting, groups)) return true;
            if (all.size() > 2 && make_group(at, all, waiting, groups)) return true;
        }
        return false;
    }

    template <typename Change>
    void change(size_t i, Change how) {
        auto changed = std::make_shared<OperatorPlan>(*plan_.operators[i]);
        how(*changed);
        plan_.operators[i] = std::move(changed);
    }

    ClusterPlan& plan_;
    const PlanOptions& options_;
    BundleFacts& facts_;
    std::vector<Demands> demands_;
    std::vector<const Bundle*> current_;
    std::vector<bool> stuck_;
    std::vector<size_t> made_;                                // steps of the stop
    std::map<std::string, std::vector<size_t>> by_namespace_; // of OLM classic
    std::set<std::string> approving_;                         // namespaces whose upgrades wait for approvals
    bool any_ = false;                                        // operator requires anything
};

} // namespace

ClusterPlan put_in_order(std::vector<Stop> stops, std::vector<std::shared_ptr<const OperatorPlan>> operators,
                         const PlanOptions& options, BundleFacts& facts) {
    ClusterPlan plan;
    plan.stops = std::move(stops);
    plan.operators = std::move(operators);
    Orderer(plan, options, facts).run();
    const bool is_ok = !plan.operators.empty() && plan.count(Verdict::ok) == plan.operators.size();
    plan.verdict = is_ok                              ? Verdict::ok
                   : plan.count(Verdict::blocked) > 0 ? Verdict::blocked
                                                      : Verdict::unknown;
    return plan;
}

} // namespace opcat::planning
