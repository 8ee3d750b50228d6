// Operators that require each other.
#include "opcat/migration/installed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

namespace opcat::migration {
namespace {

// For each operator those of some that require it.
using Dependents = std::vector<std::set<size_t>>;

Dependents dependents_of(const std::vector<InstalledOperator>& installed,
                         const std::vector<InstalledOperator>& some) {
    std::map<std::string, std::vector<size_t>> providers;
    for (size_t i = 0; i < installed.size(); ++i)
        for (const std::string& what : installed[i].provides) providers[what].push_back(i);
    Dependents dependents(installed.size());
    for (size_t i = 0; i < some.size(); ++i)
        for (const std::string& what : some[i].requires_)
            if (const auto found = providers.find(what); found != providers.end())
                for (const size_t provider : found->second)
                    if (&installed[provider] != &some[i]) dependents[provider].insert(i);
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
                                       const std::vector<InstalledOperator>& unsubscribed,
                                       std::vector<OperatorPlan>& plans) {
    const Dependents dependents = dependents_of(installed, installed);
    const Dependents without_subscription = dependents_of(installed, unsubscribed);
    for (size_t i = 0; i < plans.size(); ++i) {
        // The first of some in its namespace whose requirements are not known; empty: there is none.
        const auto may_require = [&](const std::vector<InstalledOperator>& some,
                                     const std::set<size_t>& known) -> const InstalledOperator* {
            for (size_t other = 0; other < some.size(); ++other)
                if (&some[other] != &installed[i] && some[other].has_expression && !known.contains(other) &&
                    some[other].ns() == installed[i].ns())
                    return &some[other];
            return nullptr;
        };
        const InstalledOperator* unclear = may_require(installed, dependents[i]);
        if (!unclear) unclear = may_require(unsubscribed, without_subscription[i]);
        if (unclear)
            plans[i].hold_back(
                "required-by",
                fmt::format("{} may require it: its constraint in CEL does not say what it needs",
                            unclear->name()),
                Standing::unknown);
        std::vector<std::string_view> names;
        for (const size_t dependent : dependents[i]) names.push_back(installed[dependent].name());
        for (const size_t dependent : without_subscription[i])
            names.push_back(unsubscribed[dependent].name());
        if (!names.empty())
            plans[i].hold_back(
                "required-by",
                fmt::format("{} require{} it: OLM classic does not find it any more once it has moved",
                            fmt::join(names, ", "), names.size() == 1 ? "s" : ""));
        if (plans[i].standing != Standing::eligible) plans[i].objects.clear();
    }
    std::vector<bool> placed(plans.size());
    std::vector<size_t> order;
    for (size_t i = 0; i < plans.size(); ++i) place(i, dependents, placed, order);
    return order;
}

} // namespace opcat::migration
