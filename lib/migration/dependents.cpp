// Operators that require each other.
#include "opcat/migration/installed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

namespace opcat::migration {
namespace {

// For each operator those that require it.
using Dependents = std::vector<std::set<size_t>>;

Dependents dependents_of(const std::vector<InstalledOperator>& installed) {
    std::map<std::string, std::vector<size_t>> providers;
    for (size_t i = 0; i < installed.size(); ++i)
        for (const std::string& what : installed[i].provides) providers[what].push_back(i);
    Dependents dependents(installed.size());
    for (size_t i = 0; i < installed.size(); ++i)
        for (const std::string& what : installed[i].requires_)
            if (const auto found = providers.find(what); found != providers.end())
                for (const size_t provider : found->second)
                    if (provider != i) dependents[provider].insert(i);
    return dependents;
}

// Those that come first, then `first`. Without recursion: chains may be long.
void place(size_t first, const Dependents& dependents, std::vector<bool>& placed,
           std::vector<size_t>& order) {
    std::vector<std::pair<size_t, bool>> stack{{first, false}};
    while (!stack.empty()) {
        const auto [at, is_done] = stack.back();
        stack.pop_back();
        if (is_done) {
            order.push_back(at);
            continue;
        }
        if (placed[at]) continue;
        placed[at] = true;
        stack.emplace_back(at, true);
        for (const size_t dependent : dependents[at])
            if (!placed[dependent]) stack.emplace_back(dependent, false);
    }
}

} // namespace

std::vector<size_t> hold_back_required(const std::vector<InstalledOperator>& installed,
                                       std::vector<OperatorPlan>& plans) {
    const Dependents dependents = dependents_of(installed);
    for (size_t i = 0; i < plans.size(); ++i) {
        const auto may_require = [&](size_t other) {
            return other != i && installed[other].has_expression && !dependents[i].contains(other) &&
                   installed[other].subscription->ns == installed[i].subscription->ns;
        };
        size_t other = 0;
        while (other < installed.size() && !may_require(other)) ++other;
        if (other < installed.size())
            plans[i].hold_back(
                "required-by",
                fmt::format("{} may require it: its constraint in CEL does not say what it needs",
                            plans[other].package),
                Standing::unknown);
        if (!dependents[i].empty()) {
            std::vector<std::string_view> names;
            for (const size_t dependent : dependents[i]) names.push_back(plans[dependent].package);
            plans[i].hold_back(
                "required-by",
                fmt::format("{} require{} it: OLM classic does not find it any more once it has moved",
                            fmt::join(names, ", "), names.size() == 1 ? "s" : ""));
        }
        if (plans[i].standing != Standing::eligible) plans[i].objects.clear();
    }
    std::vector<bool> placed(plans.size());
    std::vector<size_t> order;
    for (size_t i = 0; i < plans.size(); ++i) place(i, dependents, placed, order);
    return order;
}

} // namespace opcat::migration
