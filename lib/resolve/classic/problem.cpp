#include "resolve/classic/problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace opcat::classic {
namespace {

// "a, b and c"
std::string enumerated(const std::vector<std::string>& items, std::string_view last) {
    std::string text;
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) text += i + 1 == items.size() ? fmt::format(" {} ", last) : std::string(", ");
        text += items[i];
    }
    return text;
}

} // namespace

bool Variable::has_readable_id() const {
    return std::count(id.begin(), id.end(), '/') == 3;
}

bool Problem::is_mandatory(VariableId id) const {
    const auto& constraints = variables[id].constraints;
    return std::any_of(constraints.begin(), constraints.end(),
                       [](const Constraint& c) { return c.kind == Constraint::Kind::mandatory; });
}

std::string Problem::text_of(VariableId id, const Constraint& constraint) const {
    const Variable& variable = variables[id];
    std::vector<std::string> names;
    for (const VariableId other : constraint.ids) names.push_back(variables[other].id);
    switch (constraint.kind) {
    case Constraint::Kind::conflict:
        return fmt::format("{} conflicts with {}", variable.id, names[0]);
    case Constraint::Kind::at_most_one:
        return enumerated(names, "and") + constraint.text;
    case Constraint::Kind::dependency:
        if (!variable.subscription || names.empty()) return constraint.text;
        return fmt::format("subscription {} requires {}{}", variable.subscription->name,
                           names.size() == 1 ? "" : "at least one of ", enumerated(names, "or"));
    case Constraint::Kind::mandatory:
    case Constraint::Kind::prohibited:
        break;
    }
    return constraint.text;
}

std::string aggregate(const std::vector<std::string>& messages) {
    std::set<std::string_view> seen;
    std::string text;
    for (const std::string& message : messages) {
        if (!seen.insert(message).second) continue;
        if (seen.size() > 1) text += ", ";
        text += message;
    }
    return seen.size() > 1 ? '[' + text + ']' : text;
}

} // namespace opcat::classic
