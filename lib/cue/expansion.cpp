#include "opcat/cue/expansion.hpp"

#include "opcat/cue/limits.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::cue {
namespace {

using Default = Alternative::Default;

// No real schema has more.
constexpr unsigned max_references = 100;
constexpr size_t max_alternatives = 1000;

Default both(Default a, Default b) {
    if (a == Default::no || b == Default::no) return Default::no;
    return a == Default::yes || b == Default::yes ? Default::yes : Default::unmarked;
}

bool has_definitions(const StructLiteral& literal) {
    return std::any_of(
        literal.declarations.begin(), literal.declarations.end(),
        [](const Declaration& declaration) { return declaration.kind == Declaration::Kind::definition; });
}

bool is_lower(const Limit& limit) {
    return limit.what == Limit::What::greater || limit.what == Limit::What::greater_equal;
}
bool is_upper(const Limit& limit) {
    return limit.what == Limit::What::less || limit.what == Limit::What::less_equal;
}

bool is_strict(const Limit& limit) {
    return limit.what == Limit::What::greater || limit.what == Limit::What::less;
}

// Two contradictory bounds.
std::string gap_in(const std::vector<Limit>& limits) {
    const Limit* low = nullptr;
    const Limit* high = nullptr;
    for (const Limit& limit : limits) {
        if (limit.operand.kind != Constant::Kind::number) continue;
        const auto tighter = [&](const Limit* known, bool larger) {
            if (!known) return true;
            const auto order = compare(limit.operand.number, known->operand.number);
            return order == 0 ? is_strict(limit) : (order > 0) == larger;
        };
        if (is_lower(limit) && tighter(low, true)) low = &limit;
        if (is_upper(limit) && tighter(high, false)) high = &limit;
    }
    if (!low || !high) return {};
    const auto order = compare(low->operand.number, high->operand.number);
    if (order < 0 || (order == 0 && !is_strict(*low) && !is_strict(*high))) return {};
    return fmt::format("nothing is both {} and {}", to_string(*low), to_string(*high));
}

} // namespace

const Scope* Scopes::intern(Scope scope) {
    const auto found = scopes_.find(scope);
    if (found != scopes_.end()) return found->second.get();
    auto object = std::make_unique<Scope>(scope);
    return scopes_.emplace(std::move(scope), std::move(object)).first->second.get();
}

void CompileBudget::take(Range where, uint64_t count) {
    if (steps < count)
        throw CompileError{where, "the schema is too large: its definitions and disjunctions multiply",
                           "see docs/limits.md"};
    steps -= count;
}

std::vector<Expanded> Expansion::expand(const std::vector<Conjunct>& conjuncts, const Groups& groups,
                                        std::string& contradiction) {
    results_.clear();
    contradiction_.clear();
    Work work;
    work.result.groups = groups;
    for (auto conjunct = conjuncts.rbegin(); conjunct != conjuncts.rend(); ++conjunct)
        work.pending.push_back({*conjunct, 0});
    if (!conjuncts.empty()) work.result.alternative.where = conjuncts.front().expression->range;
    run(std::move(work), 0);
    contradiction = contradiction_;
    return std::move(results_);
}

const Scope* Expansion::scope_in(const Instance& instance, const std::vector<Instance>& combined) {
    if (!meanings_.referred.contains(instance.literal)) return instance.scope;
    std::vector<Instance> referred;
    for (const Instance& other : combined)
        if (has_definitions(*other.literal) || other == instance) referred.push_back(other);
    // A struct that takes part twice counts once.
    std::sort(referred.begin(), referred.end());
    referred.erase(std::unique(referred.begin(), referred.end()), referred.end());
    return scopes_.intern({instance.scope, instance.literal, std::move(referred)});
}

void Expansion::run(Work work, unsigned forks) {
    while (!work.pending.empty()) {
        if (!work.contradiction.empty()) break;
        const Pending next = work.pending.back();
        work.pending.pop_back();
        budget_.take(next.conjunct.expression->range);
        if (const auto* any = std::get_if<Disjunction>(&next.conjunct.expression->content))
            return fork(work, next, *any, forks);
        step(work, next);
    }
    finish(std::move(work));
}

void Expansion::fork(const Work& work, const Pending& next, const Disjunction& disjunction, unsigned forks) {
    const Range where = next.conjunct.expression->range;
    if (forks > max_references) throw CompileError{where, "too many disjunctions in one place"};
    const bool marked = std::find(disjunction.defaults.begin(), disjunction.defaults.end(), true) !=
                        disjunction.defaults.end();
    const Expanded& result = work.result;
    const uint64_t size = result.alternative.limits.size() + result.structs.size() + result.lists.size() +
                          result.groups.size() + work.pending.size();
    for (size_t i = 0; i < disjunction.parts.size(); ++i) {
        budget_.take(where, size);
        Work part = work;
        const Expression& expression = disjunction.parts[i];
        part.pending.push_back({{&expression, next.conjunct.scope, next.conjunct.group}, next.references});
        part.result.alternative.where = expression.range;
        if (marked) {
            Default& mark = part.result.alternative.is_default;
            mark = both(mark, disjunction.defaults[i] ? Default::yes : Default::no);
        }
        run(std::move(part), forks + 1);
        if (results_.size() > max_alternatives)
            throw CompileError{where, fmt::format("more than {} alternatives in one place", max_alternatives),
                               "disjunctions that are combined multiply"};
    }
}

void Expansion::step(Work& work, const Pending& next) {
    const Expression& expression = *next.conjunct.expression;
    const auto push = [&](const Expression& inner, uint32_t group) {
        work.pending.push_back({{&inner, next.conjunct.scope, group}, next.references});
    };
    const auto meaning = meanings_.of.find(&expression);
    if (std::holds_alternative<Bottom>(expression.content)) {
        work.contradiction = bottom;
    } else if (const auto* constant = std::get_if<Constant>(&expression.content)) {
        add_constant(work, *constant, expression.range);
    } else if (const auto* bound = std::get_if<Bound>(&expression.content)) {
        Limit limit{.what = static_cast<Limit::What>(bound->relation),
                    .operand = bound->operand,
                    .expression = nullptr,
                    .where = expression.range};
        const auto regular = meanings_.expressions.find(&expression);
        if (regular != meanings_.expressions.end()) limit.expression = regular->second;
        add_limit(work, std::move(limit), kind::any);
    } else if (const auto* all = std::get_if<Conjunction>(&expression.content)) {
        for (auto part = all->parts.rbegin(); part != all->parts.rend(); ++part)
            push(*part, next.conjunct.group);
    } else if (const auto* list = std::get_if<ListLiteral>(&expression.content)) {
        narrow(work, kind::list, expression.range);
        work.result.lists.push_back({list, next.conjunct.scope, next.conjunct.group});
    } else if (const auto* body = std::get_if<StructLiteral>(&expression.content)) {
        add_struct(work, next, *body);
    } else if (meaning == meanings_.of.end()) {
        if (const auto* selector = std::get_if<Selector>(&expression.content)) select(work, next, *selector);
    } else if (const auto* type = std::get_if<BasicType>(&meaning->second)) {
        add_basic(work, *type, expression.range);
    } else if (const auto* validator = std::get_if<Validator>(&meaning->second)) {
        add_limit(work, validator->limit, kind::any);
    } else if (std::holds_alternative<Close>(meaning->second)) {
        work.result.groups.push_back({next.conjunct.group, false, true, false});
        push(std::get<Call>(expression.content).arguments.front(),
             static_cast<uint32_t>(work.result.groups.size() - 1));
    } else if (const auto* reference = std::get_if<Reference>(&meaning->second)) {
        follow(work, next, *reference, std::get<Name>(expression.content).text);
    }
}

void Expansion::narrow(Work& work, Kinds kinds, Range where) {
    Alternative& alternative = work.result.alternative;
    const Kinds both_have = alternative.kinds & kinds;
    if (both_have == 0 && work.contradiction.empty())
        work.contradiction =
            fmt::format("nothing is both {} and {}", describe(alternative.kinds), describe(kinds));
    if (both_have != alternative.kinds) alternative.where = where;
    alternative.kinds = both_have;
}

void Expansion::add_constant(Work& work, const Constant& constant, Range where) {
    narrow(work, kind_of(constant), where);
    std::optional<Constant>& known = work.result.alternative.constant;
    if (known && !(*known == constant) && work.contradiction.empty())
        work.contradiction = fmt::format("{} is not {}", to_string(*known), to_string(constant));
    known = constant;
    work.result.alternative.where = where;
}

void Expansion::add_limit(Work& work, Limit limit, Kinds kinds) {
    narrow(work, kinds_of(limit) & kinds, limit.where);
    work.result.alternative.limits.push_back(std::move(limit));
}

void Expansion::add_basic(Work& work, const BasicType& type, Range where) {
    narrow(work, type.kinds, where);
    const auto bound = [&](const std::optional<Number>& number, Limit::What what) {
        if (number)
            add_limit(work,
                      {.what = what, .operand = Constant::of(*number), .expression = nullptr, .where = where},
                      type.kinds);
    };
    bound(type.at_least, Limit::What::greater_equal);
    bound(type.at_most, Limit::What::less_equal);
}

void Expansion::add_struct(Work& work, const Pending& from, const StructLiteral& literal) {
    Groups& groups = work.result.groups;
    groups.push_back({from.conjunct.group, false, false, false});
    const auto group = static_cast<uint32_t>(groups.size() - 1);
    const Instance instance{&literal, from.conjunct.scope};
    bool has_embedding = false;
    bool has_field = false;
    for (auto declaration = literal.declarations.rbegin(); declaration != literal.declarations.rend();
         ++declaration) {
        if (declaration->kind == Declaration::Kind::field && declaration->presence != Presence::optional)
            has_field = true;
        if (declaration->kind != Declaration::Kind::embedding) continue;
        has_embedding = true;
        groups.push_back({group, false, false, true});
        work.pending.push_back(
            {{&declaration->value, scope_in(instance, {instance}), static_cast<uint32_t>(groups.size() - 1)},
             from.references});
    }
    // A struct that only contains an embedded value is that value, of any kind.
    if (!has_embedding || has_field) narrow(work, kind::structure, from.conjunct.expression->range);
    work.result.structs.push_back({&literal, from.conjunct.scope, group});
}

std::span<const Declaration* const> Expansion::members_of(const StructLiteral& literal,
                                                          std::string_view name) const {
    const Members& members = meanings_.members.at(&literal);
    const auto found = members.find(name);
    if (found == members.end()) return {};
    return found->second;
}

void Expansion::follow(Work& work, const Pending& from, const Reference& reference, const std::string& name) {
    if (from.references >= max_references)
        throw CompileError{from.conjunct.expression->range,
                           fmt::format("{} refers to itself, with no field and no list between", name)};
    const Scope* scope = from.conjunct.scope;
    while (scope && scope->literal != reference.owner) scope = scope->outer;
    if (!scope) return; // cannot be: the resolver has found it there
    uint32_t group = from.conjunct.group;
    if (name.starts_with('#') || name.starts_with("_#")) {
        work.result.groups.push_back({group, true, false, false});
        group = static_cast<uint32_t>(work.result.groups.size() - 1);
    }
    std::vector<Pending> members;
    for (const Instance& instance : scope->combined)
        for (const Declaration& declaration : instance.literal->declarations)
            if (declaration.name == name && (declaration.kind == Declaration::Kind::definition ||
                                             declaration.kind == Declaration::Kind::field))
                members.push_back(
                    {{&declaration.value, scope_in(instance, scope->combined), group}, from.references + 1});
    work.pending.insert(work.pending.end(), members.rbegin(), members.rend());
}

// The members of a struct that does not depend on the data: a definition, or the content of one.
void Expansion::select(Work& work, const Pending& from, const Selector& selector) {
    const Range where = from.conjunct.expression->range;
    if (from.references >= max_references)
        throw CompileError{
            where, fmt::format("{} refers to itself, with no field and no list between", selector.name)};
    Expansion inner(meanings_, scopes_, budget_);
    std::string contradiction;
    Work base;
    base.result.groups = Groups(1);
    base.pending.push_back({{selector.base.get(), from.conjunct.scope, 0}, from.references + 1});
    inner.run(std::move(base), 0);
    if (inner.results_.size() != 1)
        throw CompileError{where,
                           inner.results_.empty()
                               ? fmt::format("there is no {} in a contradiction", selector.name)
                               : fmt::format("{} is selected from a disjunction, which is outside of the "
                                             "subset of CUE that opcat has",
                                             selector.name)};
    const Expanded& found = inner.results_.front();
    std::vector<Instance> combined;
    for (const auto& part : found.structs) combined.push_back({part.literal, part.scope});
    // A part that is selected from a definition is closed like it.
    const bool closed =
        selector.name.starts_with('#') || selector.name.starts_with("_#") ||
        std::any_of(found.groups.begin(), found.groups.end(), [](const Group& g) { return g.closed; });
    work.result.groups.push_back({from.conjunct.group, closed, false, false});
    const auto group = static_cast<uint32_t>(work.result.groups.size() - 1);
    bool any = false;
    for (const auto& part : found.structs)
        for (const Declaration* declaration : members_of(*part.literal, selector.name)) {
            if (declaration->kind == Declaration::Kind::field && declaration->presence != Presence::regular)
                throw CompileError{
                    where, fmt::format("{} may be absent, so that nothing can refer to it", selector.name)};
            any = true;
            work.pending.push_back(
                {{&declaration->value, scope_in({part.literal, part.scope}, combined), group},
                 from.references + 1});
        }
    if (!any)
        throw CompileError{where, fmt::format("there is no {} in what it is selected from", selector.name)};
}

void Expansion::finish(Work work) {
    Alternative& alternative = work.result.alternative;
    if (work.contradiction.empty() && alternative.constant)
        for (const Limit& limit : alternative.limits)
            if (work.contradiction.empty() && !is_within(*alternative.constant, limit))
                work.contradiction =
                    fmt::format("{} is not {}", to_string(*alternative.constant), to_string(limit));
    if (work.contradiction.empty()) work.contradiction = gap_in(alternative.limits);
    if (work.contradiction.empty())
        results_.push_back(std::move(work.result));
    else if (contradiction_.empty())
        contradiction_ = std::move(work.contradiction);
}

namespace {

constexpr uint32_t none = UINT32_MAX;

// Returns true if `group` is `ancestor` or in it.
bool is_within(const Groups& groups, uint32_t group, uint32_t ancestor) {
    while (group > ancestor) group = groups[group].parent;
    return group == ancestor;
}

} // namespace

Groups simplified(const Groups& groups, std::vector<uint32_t>& used) {
    // The number of children of a group that lead to a used group, including itself.
    std::vector<uint32_t> branches(groups.size(), 0);
    std::vector<bool> live(groups.size(), false);
    for (const uint32_t group : used) {
        ++branches[group];
        live[group] = true;
    }
    for (size_t i = groups.size(); i-- > 1;) {
        if (!live[i]) continue;
        ++branches[groups[i].parent];
        live[groups[i].parent] = true;
    }
    Groups result(1);
    result.front().closed = groups.front().closed;
    std::vector<uint32_t> renamed(groups.size(), none);
    renamed[0] = 0;
    // Numbers follow the order of first use, so that equal situations have equal numbers.
    const auto rename = [&](const auto& self, uint32_t group) -> uint32_t {
        if (renamed[group] != none) return renamed[group];
        const Group& old = groups[group];
        const uint32_t parent = self(self, old.parent);
        // A chain without branches is reduced to one group.
        const bool alone = branches[old.parent] == 1;
        if (alone) {
            result[parent].closed |= old.closed;
            return renamed[group] = parent;
        }
        result.push_back({parent, old.closed, false, old.embedded});
        return renamed[group] = static_cast<uint32_t>(result.size() - 1);
    };
    for (uint32_t& group : used) group = rename(rename, group);
    return result;
}

std::vector<std::vector<uint32_t>> closing_sets(const Groups& groups, const std::vector<uint32_t>& at) {
    std::vector<std::vector<uint32_t>> sets;
    for (uint32_t closing = 0; closing < groups.size(); ++closing) {
        if (!groups[closing].closed && !groups[closing].closed_here) continue;
        std::vector<uint32_t> set;
        bool says_anything = false;
        for (uint32_t part = 0; part < at.size(); ++part) {
            bool in = is_within(groups, at[part], closing);
            says_anything |= in;
            for (uint32_t g = closing; g > 0 && !in; g = groups[g].parent)
                in = groups[g].embedded && is_within(groups, at[part], groups[g].parent) &&
                     !is_within(groups, at[part], g);
            if (in) set.push_back(part);
        }
        if (says_anything && std::find(sets.begin(), sets.end(), set) == sets.end())
            sets.push_back(std::move(set));
    }
    return sets;
}

} // namespace opcat::cue
