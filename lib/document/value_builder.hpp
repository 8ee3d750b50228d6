// Builds a tree from the bottom up, as readers meet its nodes.
#pragma once

#include "document/arena.hpp"
#include "document/value.hpp"

#include <vector>

namespace opcat {

// Open collections are a stack; what is added goes into the innermost one. An object's keys and values are
// added in turn.
class ValueBuilder {
public:
    explicit ValueBuilder(Arena& arena) : arena_(arena) {}

    void add(const Value& value) { pending_.push_back(value); }
    void open(uint32_t offset) { open_.push_back({pending_.size(), offset}); }
    size_t depth() const { return open_.size(); }
    // How many values the innermost collection has so far (keys count, too).
    size_t size() const { return pending_.size() - open_.back().begin; }

    Value close_array() {
        const auto [begin, offset] = pop();
        const auto items =
            arena_.copy(std::span<const Value>(pending_.data() + begin, pending_.size() - begin));
        pending_.resize(begin);
        return Value::of(std::span<const Value>(items), offset);
    }
    Value close_object() {
        const auto [begin, offset] = pop();
        const size_t count = pending_.size() - begin;
        assert(count % 2 == 0);
        const auto items = arena_.copy(std::span<const Value>(pending_.data() + begin, count));
        pending_.resize(begin);
        // A member is two values, one after the other.
        return Value::of(std::span<const Member>(reinterpret_cast<const Member*>(items.data()), count / 2),
                         offset);
    }
    // The last value added outside all collections.
    Value take_root() {
        const Value root = pending_.back();
        pending_.clear();
        return root;
    }
    void clear() {
        pending_.clear();
        open_.clear();
    }
    Arena& arena() { return arena_; }

private:
    struct Open {
        size_t begin;
        uint32_t offset;
    };
    Open pop() {
        const Open open = open_.back();
        open_.pop_back();
        return open;
    }

    Arena& arena_;
    std::vector<Value> pending_;
    std::vector<Open> open_;
};

} // namespace opcat
