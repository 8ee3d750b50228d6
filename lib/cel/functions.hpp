// Functions and operators on values.
#pragma once

#include "opcat/cel/value.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace opcat::cel {

constexpr const char* no_overload = "no such overload";

// The remaining budget of an evaluation: roughly, the number of values that it may read and create.
class Budget {
public:
    explicit Budget(uint64_t amount) : left_(amount) {}
    uint64_t left() const { return left_; }
    bool exhausted() const { return exhausted_; }
    // False when the budget is exceeded.
    bool spend(uint64_t cost) {
        if (cost > left_) {
            left_ = 0;
            exhausted_ = true;
            return false;
        }
        left_ -= cost;
        return true;
    }

private:
    uint64_t left_;
    bool exhausted_ = false;
};

// Values of different kinds are not equal, numbers of any kind are compared by value.
bool equal(const Value& a, const Value& b, Budget& budget);

// A map's value, or a failure.
Value select(const Value& operand, const std::string& field);
// The value as a map key; nothing for types that cannot be one.
const Value* lookup(const Map& map, const Value& key);
bool insert(Map& map, const Value& key, Value value);

// The operators on numbers, times, text and collections.
Value add(const Value& a, const Value& b, Budget& budget);
Value subtract(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value divide(const Value& a, const Value& b);
Value modulo(const Value& a, const Value& b);
Value negate(const Value& a);

// "_<_", "_<=_", "_>_" or "_>=_"
Value compare(std::string_view op, const Value& a, const Value& b);

Value index(const Value& operand, const Value& key);
Value contains(const Value& item, const Value& collection, Budget& budget);

// All functions except the logical operators and the conditional, which do not need all of their arguments.
// The arguments are not failures; the result may be one.
Value call(std::string_view function, std::span<const Value> arguments, Budget& budget);

} // namespace opcat::cel
