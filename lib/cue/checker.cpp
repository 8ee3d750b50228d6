#include "opcat/cue/checker.hpp"

#include "opcat/cue/limits.hpp"
#include "opcat/cue/program.hpp"

#include <algorithm>

namespace opcat::cue {
namespace {

bool equals(const Value& value, const Constant& constant) {
    switch (constant.kind) {
    case Constant::Kind::null:
        return value.is_null();
    case Constant::Kind::boolean:
        return value.is_boolean() && value.boolean() == constant.boolean;
    case Constant::Kind::number: {
        if (!value.is_number()) return false;
        const Number number = Number::of(value);
        return number.is_integer == constant.number.is_integer && compare(number, constant.number) == 0;
    }
    case Constant::Kind::string:
        return value.is_string() && value.string() == constant.text;
    case Constant::Kind::bytes:
        return false; // no document has them
    }
    return false;
}

class Checker {
public:
    // Takes what it looks at from `budget`.
    Checker(const Program& program, uint64_t& budget) : program_(program), budget_(budget) {}

    bool gave_up() const { return gave_up_; }

    State node(NodeId id, const Value& value, unsigned depth) {
        return choose(program_.nodes[id], value, depth).state;
    }

    Choice choose(const Node& node, const Value& value, unsigned depth) {
        if (!take(depth) || node.alternatives.empty()) return {};
        Choice any;
        if (node.alternatives.size() == 1) {
            any.alternative = &node.alternatives.front();
            any.state = alternative(*any.alternative, value, depth);
            return any;
        }
        Choice marked;
        for (const Alternative& one : node.alternatives) {
            const State state = alternative(one, value, depth);
            if (state == State::bottom) continue;
            add(any, one, state, value, depth);
            if (one.is_default == Alternative::Default::yes) add(marked, one, state, value, depth);
        }
        if (!any.ambiguous) return any;
        if (marked.alternative && !marked.ambiguous) return marked;
        any.state = State::incomplete;
        return any;
    }

private:
    bool take(unsigned depth) {
        if (depth > max_checked_depth || budget_ == 0) gave_up_ = true;
        if (gave_up_) return false;
        --budget_;
        return true;
    }

    void add(Choice& choice, const Alternative& one, State state, const Value& value, unsigned depth) {
        if (!choice.alternative) {
            choice = {&one, state, false};
        } else if (!choice.ambiguous) {
            choice.ambiguous = !same(*choice.alternative, one, value, depth);
        }
    }

    State alternative(const Alternative& one, const Value& value, unsigned depth) {
        const Kinds kind = kind_of(value);
        if ((one.kinds & kind) == 0) return State::bottom;
        if (one.constant) return equals(value, *one.constant) ? State::complete : State::bottom;
        for (const Limit& limit : one.limits)
            if (!is_within(value, limit)) return State::bottom;
        if (kind == kind::structure && one.has_fields) return structure(one, value, depth);
        if (kind == kind::list && one.has_items) return list(one, value, depth);
        return State::complete;
    }

    State structure(const Alternative& one, const Value& value, unsigned depth) {
        State state = State::complete;
        for (const NodeId hidden : one.hidden)
            if (program_.nodes[hidden].when_absent == State::bottom) return State::bottom;
        // The set of existing fields: one bit for each in a word, fields beyond that are searched.
        constexpr size_t noted = 64;
        uint64_t seen = 0;
        for (const Member& member : value.members()) {
            const std::string_view name = member.key.string();
            NodeId inner = 0;
            if (const Field* const field = find_field(one, name)) {
                if (!field->allowed) return State::bottom;
                const auto index = static_cast<size_t>(field - one.fields.data());
                if (index < noted) seen |= uint64_t{1} << index;
                inner = field->node;
            } else {
                const uint32_t set = matching_patterns(one, member.key, depth);
                for (const uint32_t closing : one.closed_by)
                    if ((closing & set) == 0) return State::bottom;
                if (set == 0) continue;
                inner = one.by_patterns[set];
            }
            state = std::min(state, node(inner, member.value, depth + 1));
            if (state == State::bottom) return state;
        }
        for (size_t i = 0; i < one.fields.size(); ++i) {
            const Field& field = one.fields[i];
            if (field.presence == Presence::optional) continue;
            if (i < noted ? (seen >> i & 1U) != 0 : value.find(field.name) != nullptr) continue;
            const State absent = field.presence == Presence::required
                                     ? State::incomplete
                                     : program_.nodes[field.node].when_absent;
            state = std::min(state, absent);
            if (state == State::bottom) return state;
        }
        return state;
    }

    uint32_t matching_patterns(const Alternative& one, const Value& name, unsigned depth) {
        uint32_t set = 0;
        for (size_t i = 0; i < one.patterns.size(); ++i)
            if (node(one.patterns[i].label, name, depth + 1) == State::complete) set |= 1U << i;
        return set;
    }

    State list(const Alternative& one, const Value& value, unsigned depth) {
        const std::span<const Value> items = value.items();
        if (items.size() < one.items.size() || (items.size() > one.items.size() && !one.rest))
            return State::bottom;
        State state = State::complete;
        for (size_t i = 0; i < items.size(); ++i) {
            state =
                std::min(state, node(i < one.items.size() ? one.items[i] : *one.rest, items[i], depth + 1));
            if (state == State::bottom) break;
        }
        return state;
    }

    // Returns true if two alternatives that both match give the same value.
    bool same(const Alternative& a, const Alternative& b, const Value& value, unsigned depth) {
        if (&a == &b) return true;
        if (!take(depth)) return true;
        if (value.is_array()) return same_items(a, b, value, depth);
        if (value.is_object()) return same_members(a, b, value, depth);
        return true;
    }

    bool same(NodeId a, NodeId b, const Value& value, unsigned depth) {
        if (a == b) return true;
        const Choice x = choose(program_.nodes[a], value, depth);
        const Choice y = choose(program_.nodes[b], value, depth);
        if (!x.alternative || !y.alternative || x.ambiguous || y.ambiguous) return false;
        return same(*x.alternative, *y.alternative, value, depth);
    }

    bool same_items(const Alternative& a, const Alternative& b, const Value& value, unsigned depth) {
        if (a.origin != b.origin) return false;
        const std::span<const Value> items = value.items();
        for (size_t i = 0; i < items.size(); ++i)
            if (!same(item_of(a, i), item_of(b, i), items[i], depth + 1)) return false;
        return true;
    }

    static NodeId item_of(const Alternative& one, size_t index) {
        if (!one.has_items) return anything;
        return index < one.items.size() ? one.items[index] : *one.rest;
    }

    bool same_members(const Alternative& a, const Alternative& b, const Value& value, unsigned depth) {
        // Fields matched by a struct are closed if it is a definition; fields matched by "_" are open.
        if (a.origin != b.origin || a.has_fields != b.has_fields) return false;
        for (const Member& member : value.members()) {
            const NodeId x = node_of(a, member.key, depth);
            const NodeId y = node_of(b, member.key, depth);
            if (!same(x, y, member.value, depth + 1)) return false;
        }
        return same_additions(a, b, value);
    }

    NodeId node_of(const Alternative& one, const Value& name, unsigned depth) {
        if (const Field* const field = find_field(one, name.string())) return field->node;
        const uint32_t set = matching_patterns(one, name, depth);
        return set == 0 ? anything : one.by_patterns[set];
    }

    // The fields that the document lacks.
    bool same_additions(const Alternative& a, const Alternative& b, const Value& value) const {
        const auto covered = [&](const Alternative& one, const Alternative& other) {
            for (const Field& field : one.fields) {
                if (field.presence != Presence::regular || value.find(field.name)) continue;
                const Field* const same_field = find_field(other, field.name);
                if (!same_field || same_field->presence != Presence::regular ||
                    !same_when_absent(program_, field.node, same_field->node))
                    return false;
            }
            return true;
        };
        return covered(a, b) && covered(b, a);
    }

    const Program& program_;
    uint64_t& budget_;
    bool gave_up_ = false;
};

} // namespace

const Field* find_field(const Alternative& alternative, std::string_view name) {
    const auto found =
        std::lower_bound(alternative.fields.begin(), alternative.fields.end(), name,
                         [](const Field& field, std::string_view n) { return field.name < n; });
    return found != alternative.fields.end() && found->name == name ? &*found : nullptr;
}

Outcome check(const Program& program, NodeId node, const Value& value, uint64_t& budget) {
    Checker checker(program, budget);
    Outcome outcome;
    outcome.state = checker.node(node, value, 0);
    outcome.gave_up = checker.gave_up();
    return outcome;
}

Outcome check(const Program& program, NodeId node, const Value& value) {
    uint64_t budget = max_checked_values;
    return check(program, node, value, budget);
}

Choice choose(const Program& program, const Node& node, const Value& value, uint64_t& budget) {
    return Checker(program, budget).choose(node, value, 0);
}

} // namespace opcat::cue
