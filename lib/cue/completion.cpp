#include "opcat/cue/limits.hpp"
#include "opcat/cue/program.hpp"

#include <algorithm>

namespace opcat::cue {
namespace {

class Completion {
public:
    explicit Completion(Program& program) : program_(program), progress_(program.nodes.size()) {}

    void run() {
        for (NodeId id = 0; id < program_.nodes.size(); ++id) {
            lowest_open_ = none;
            program_.nodes[id].when_absent = state_of(id, 0);
        }
    }

private:
    static constexpr uint32_t none = UINT32_MAX;
    struct Progress {
        uint32_t open_at = none; // the depth at which it is being computed
        bool done = false;
    };

    // The result for a node below others that are in progress. If it leads back to one of them, the result is
    // only valid for this path and not kept.
    State state_of(NodeId id, uint32_t depth) {
        Progress& progress = progress_[id];
        if (progress.done) return program_.nodes[id].when_absent;
        if (progress.open_at != none) {
            lowest_open_ = std::min(lowest_open_, progress.open_at);
            return State::bottom;
        }
        // Deeper than any schema that people write, and than the stack allows.
        if (depth > 2'000 || ++steps_ > 5'000'000) return State::bottom;
        progress.open_at = depth;
        const uint32_t outer = lowest_open_;
        lowest_open_ = none;
        const State state = state_of(program_.nodes[id], depth);
        progress.open_at = none;
        if (lowest_open_ >= depth) {
            progress.done = true;
            program_.nodes[id].when_absent = state;
            lowest_open_ = outer;
        } else {
            lowest_open_ = std::min(outer, lowest_open_);
        }
        return state;
    }

    State state_of(const Node& node, uint32_t depth) {
        const Alternative* only = nullptr;
        const Alternative* only_default = nullptr;
        State state = State::bottom;
        State default_state = State::bottom;
        bool several = false;
        bool several_defaults = false;
        for (const Alternative& alternative : node.alternatives) {
            const State one = state_of(alternative, depth);
            if (one == State::bottom) continue;
            if (!only) {
                only = &alternative;
                state = one;
            } else {
                several = several || !same_when_absent(*only, alternative);
            }
            if (alternative.is_default != Alternative::Default::yes) continue;
            if (!only_default) {
                only_default = &alternative;
                default_state = one;
            } else {
                several_defaults = several_defaults || !same_when_absent(*only_default, alternative);
            }
        }
        if (!only) return State::bottom;
        if (!several) return state;
        return only_default && !several_defaults ? default_state : State::incomplete;
    }

    bool same_when_absent(const Alternative& a, const Alternative& b) const;

    State state_of(const Alternative& alternative, uint32_t depth) {
        if (alternative.constant) return State::complete;
        State state = State::complete;
        const auto include = [&](NodeId id) {
            state = std::min(state, state_of(id, depth + 1));
            return state != State::bottom;
        };
        if (alternative.kinds == kind::list && alternative.has_items) {
            for (const NodeId item : alternative.items)
                if (!include(item)) return State::bottom;
            // A validator does not decide about a list that may grow.
            return alternative.limits.empty() ? state : State::incomplete;
        }
        if (alternative.kinds == kind::structure && alternative.has_fields) {
            for (const NodeId hidden : alternative.hidden)
                if (state_of(hidden, depth + 1) == State::bottom) return State::bottom;
            for (const Field& field : alternative.fields) {
                if (field.presence == Presence::regular && !include(field.node)) return State::bottom;
                if (field.presence == Presence::required) state = std::min(state, State::incomplete);
            }
            return state;
        }
        return is_one_number(alternative) ? State::complete : State::incomplete;
    }

    // ">=1 & <=1".
    static bool is_one_number(const Alternative& alternative) {
        const Number* low = nullptr;
        const Number* high = nullptr;
        for (const Limit& limit : alternative.limits) {
            if (limit.operand.kind != Constant::Kind::number) continue;
            const Number& number = limit.operand.number;
            if (limit.what == Limit::What::greater_equal && (!low || compare(number, *low) > 0))
                low = &number;
            if (limit.what == Limit::What::less_equal && (!high || compare(number, *high) < 0))
                high = &number;
        }
        return low && high && low->is_integer == high->is_integer && compare(*low, *high) == 0;
    }

    Program& program_;
    std::vector<Progress> progress_;
    uint32_t lowest_open_ = none;
    uint64_t steps_ = 0;
};

bool same_limits(const std::vector<Limit>& a, const std::vector<Limit>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Limit& x, const Limit& y) {
        return x.what == y.what && x.count == y.count && x.operand == y.operand;
    });
}

const Field* next_regular(const std::vector<Field>& fields, size_t& at) {
    while (at < fields.size() && fields[at].presence != Presence::regular) ++at;
    return at < fields.size() ? &fields[at++] : nullptr;
}

// Compares values without data. Values that are too deep or too large to compare count as different.
class Comparison {
public:
    explicit Comparison(const Program& program) : program_(program) {}

    bool same(NodeId a, NodeId b, unsigned depth = 0) {
        if (a == b) return true;
        const std::vector<Alternative>& x = program_.nodes[a].alternatives;
        const std::vector<Alternative>& y = program_.nodes[b].alternatives;
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                          [&](const Alternative& one, const Alternative& other) {
                              return one.is_default == other.is_default && same(one, other, depth);
                          });
    }

    bool same(const Alternative& a, const Alternative& b, unsigned depth = 0) {
        if (&a == &b) return true;
        if (depth > max_depth || ++steps_ > max_steps) return false;
        if (a.kinds != b.kinds || a.constant.has_value() != b.constant.has_value()) return false;
        if (a.constant) return *a.constant == *b.constant;
        if (!same_limits(a.limits, b.limits) || a.origin != b.origin || a.has_fields != b.has_fields ||
            a.has_items != b.has_items || a.items.size() != b.items.size() ||
            a.rest.has_value() != b.rest.has_value())
            return false;
        for (size_t i = 0; i < a.items.size(); ++i)
            if (!same(a.items[i], b.items[i], depth + 1)) return false;
        size_t i = 0;
        size_t j = 0;
        for (;;) {
            const Field* const x = next_regular(a.fields, i);
            const Field* const y = next_regular(b.fields, j);
            if (!x || !y) return x == y;
            if (x->name != y->name || !same(x->node, y->node, depth + 1)) return false;
        }
    }

private:
    static constexpr unsigned max_depth = 100;
    static constexpr uint64_t max_steps = 100'000;

    const Program& program_;
    uint64_t steps_ = 0;
};

bool Completion::same_when_absent(const Alternative& a, const Alternative& b) const {
    return Comparison(program_).same(a, b);
}

} // namespace

void compute_completion(Program& program) {
    Completion(program).run();
}

bool same_when_absent(const Program& program, NodeId a, NodeId b) {
    return Comparison(program).same(a, b);
}

} // namespace opcat::cue
