#include "opcat/cel/functions.hpp"
#include "opcat/cel/time.hpp"

#include <cmath>
#include <compare>
#include <limits>
#include <optional>

namespace opcat::cel {
namespace {

constexpr const char* overflow = "integer overflow";
constexpr const char* duration_overflow = "duration overflow";
constexpr const char* timestamp_overflow = "timestamp overflow";
constexpr int64_t billion = 1'000'000'000;

std::partial_ordering order(double a, int64_t b) {
    if (std::isnan(a)) return std::partial_ordering::unordered;
    if (a >= 0x1p63) return std::partial_ordering::greater;
    if (a < -0x1p63) return std::partial_ordering::less;
    const double whole = std::trunc(a);
    const auto by_whole = static_cast<int64_t>(whole) <=> b;
    return by_whole != 0 ? std::partial_ordering(by_whole) : a <=> whole;
}

std::partial_ordering order(double a, uint64_t b) {
    if (std::isnan(a)) return std::partial_ordering::unordered;
    if (a >= 0x1p64) return std::partial_ordering::greater;
    if (a < 0) return std::partial_ordering::less;
    const double whole = std::trunc(a);
    const auto by_whole = static_cast<uint64_t>(whole) <=> b;
    return by_whole != 0 ? std::partial_ordering(by_whole) : a <=> whole;
}

std::partial_ordering order(int64_t a, uint64_t b) {
    return a < 0 ? std::partial_ordering::less : std::partial_ordering(static_cast<uint64_t>(a) <=> b);
}

std::partial_ordering reversed(std::partial_ordering o) {
    return 0 <=> o;
}

// Numbers of any kind.
std::partial_ordering order_numbers(const Value& a, const Value& b) {
    if (const auto* x = a.get<int64_t>()) {
        if (const auto* y = b.get<int64_t>()) return *x <=> *y;
        if (const auto* y = b.get<uint64_t>()) return order(*x, *y);
        return reversed(order(*b.get<double>(), *x));
    }
    if (const auto* x = a.get<uint64_t>()) {
        if (const auto* y = b.get<int64_t>()) return reversed(order(*y, *x));
        if (const auto* y = b.get<uint64_t>()) return *x <=> *y;
        return reversed(order(*b.get<double>(), *x));
    }
    const double x = *a.get<double>();
    if (const auto* y = b.get<int64_t>()) return order(x, *y);
    if (const auto* y = b.get<uint64_t>()) return order(x, *y);
    return x <=> *b.get<double>();
}

template <typename T>
std::optional<std::partial_ordering> order_if(const Value& a, const Value& b) {
    const auto* x = a.get<T>();
    const auto* y = b.get<T>();
    if (!x || !y) return std::nullopt;
    return *x <=> *y;
}

std::optional<std::partial_ordering> order_values(const Value& a, const Value& b) {
    if (a.is_number() && b.is_number()) return order_numbers(a, b);
    if (a.string() && b.string()) return *a.string() <=> *b.string();
    if (a.bytes() && b.bytes()) return *a.bytes() <=> *b.bytes();
    if (const auto found = order_if<bool>(a, b)) return found;
    if (const auto found = order_if<Timestamp>(a, b)) return found;
    return order_if<Duration>(a, b);
}

// False for types that cannot be keys.
bool to_key(const Value& value, MapKey& key) {
    if (const auto* b = value.get<bool>()) {
        key = *b;
    } else if (const auto* text = value.string()) {
        key = *text;
    } else if (const auto* i = value.get<int64_t>()) {
        key = *i;
    } else if (const auto* u = value.get<uint64_t>()) {
        if (*u <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            key = static_cast<int64_t>(*u);
        else
            key = *u;
    } else if (const auto* d = value.get<double>(); d && std::trunc(*d) == *d) {
        if (*d >= -0x1p63 && *d < 0x1p63)
            key = static_cast<int64_t>(*d);
        else if (*d > 0 && *d < 0x1p64)
            key = static_cast<uint64_t>(*d);
        else
            return false;
    } else {
        return false;
    }
    return true;
}

Value shifted(Timestamp t, int64_t nanoseconds, bool forward) {
    const int64_t sign = forward ? 1 : -1;
    int64_t seconds = t.seconds + sign * (nanoseconds / billion);
    int64_t rest = t.nanoseconds + sign * (nanoseconds % billion);
    if (rest < 0) {
        rest += billion;
        --seconds;
    } else if (rest >= billion) {
        rest -= billion;
        ++seconds;
    }
    const Timestamp result{seconds, static_cast<int32_t>(rest)};
    return in_range(result) ? Value::of(result) : Value::failure(timestamp_overflow);
}

Value distance(Timestamp a, Timestamp b) {
    int64_t nanoseconds = 0;
    if (__builtin_mul_overflow(a.seconds - b.seconds, billion, &nanoseconds) ||
        __builtin_add_overflow(nanoseconds, int64_t{a.nanoseconds} - b.nanoseconds, &nanoseconds))
        return Value::failure(duration_overflow);
    return Value::of(Duration{nanoseconds});
}

template <typename T, typename Operation>
std::optional<Value> checked(const Value& a, const Value& b, Operation operation) {
    const T* x = a.get<T>();
    const T* y = b.get<T>();
    if (!x || !y) return std::nullopt;
    T result = 0;
    return operation(*x, *y, &result) ? Value::failure(overflow) : Value::of(result);
}

template <typename Operation>
std::optional<Value> checked_durations(const Value& a, const Value& b, Operation operation) {
    const auto* x = a.get<Duration>();
    const auto* y = b.get<Duration>();
    if (!x || !y) return std::nullopt;
    int64_t result = 0;
    return operation(x->nanoseconds, y->nanoseconds, &result) ? Value::failure(duration_overflow)
                                                              : Value::of(Duration{result});
}

} // namespace

bool equal(const Value& a, const Value& b, Budget& budget) {
    if (!budget.spend(1)) return false;
    if (a.is_number() && b.is_number()) return order_numbers(a, b) == 0;
    if (const auto found = order_values(a, b)) return *found == 0;
    if (a.get<Null>() && b.get<Null>()) return true;
    if (const auto* type = a.get<TypeName>()) return b.get<TypeName>() && *type == *b.get<TypeName>();
    if (a.list() && b.list()) {
        if (a.list()->size() != b.list()->size()) return false;
        for (size_t i = 0; i < a.list()->size(); ++i)
            if (!equal((*a.list())[i], (*b.list())[i], budget)) return false;
        return true;
    }
    if (!a.map() || !b.map() || a.map()->size() != b.map()->size()) return false;
    for (auto x = a.map()->begin(), y = b.map()->begin(); x != a.map()->end(); ++x, ++y)
        if (x->first != y->first || !equal(x->second, y->second, budget)) return false;
    return true;
}

Value select(const Value& operand, const std::string& field) {
    if (!operand.map()) return Value::failure(no_overload);
    const auto found = operand.map()->find(MapKey(field));
    return found == operand.map()->end() ? Value::failure("no such key") : found->second;
}

const Value* lookup(const Map& map, const Value& value) {
    MapKey key;
    if (!to_key(value, key)) return nullptr;
    const auto found = map.find(key);
    return found == map.end() ? nullptr : &found->second;
}

bool insert(Map& map, const Value& key, Value value) {
    if (key.get<double>()) return false;
    MapKey as_key;
    return to_key(key, as_key) && map.emplace(std::move(as_key), std::move(value)).second;
}

Value add(const Value& a, const Value& b, Budget& budget) {
    const auto sum = [](auto x, auto y, auto* result) { return __builtin_add_overflow(x, y, result); };
    if (const auto result = checked<int64_t>(a, b, sum)) return *result;
    if (const auto result = checked<uint64_t>(a, b, sum)) return *result;
    if (const auto result = checked_durations(a, b, sum)) return *result;
    if (a.get<double>() && b.get<double>()) return Value::of(*a.get<double>() + *b.get<double>());
    if (a.string() && b.string()) {
        if (!budget.spend(1 + (a.string()->size() + b.string()->size()) / 16)) return Value::failure("cost");
        return Value::of_string(*a.string() + *b.string());
    }
    if (a.bytes() && b.bytes()) {
        if (!budget.spend(1 + (a.bytes()->size() + b.bytes()->size()) / 16)) return Value::failure("cost");
        return Value::of_bytes(*a.bytes() + *b.bytes());
    }
    if (a.list() && b.list()) {
        if (!budget.spend(1 + a.list()->size() + b.list()->size())) return Value::failure("cost");
        List all = *a.list();
        all.insert(all.end(), b.list()->begin(), b.list()->end());
        return Value::of_list(std::move(all));
    }
    if (a.get<Timestamp>() && b.get<Duration>())
        return shifted(*a.get<Timestamp>(), b.get<Duration>()->nanoseconds, true);
    if (a.get<Duration>() && b.get<Timestamp>())
        return shifted(*b.get<Timestamp>(), a.get<Duration>()->nanoseconds, true);
    return Value::failure(no_overload);
}

Value subtract(const Value& a, const Value& b) {
    const auto difference = [](auto x, auto y, auto* result) { return __builtin_sub_overflow(x, y, result); };
    if (const auto result = checked<int64_t>(a, b, difference)) return *result;
    if (const auto result = checked<uint64_t>(a, b, difference)) return *result;
    if (const auto result = checked_durations(a, b, difference)) return *result;
    if (a.get<double>() && b.get<double>()) return Value::of(*a.get<double>() - *b.get<double>());
    if (a.get<Timestamp>() && b.get<Duration>())
        return shifted(*a.get<Timestamp>(), b.get<Duration>()->nanoseconds, false);
    if (a.get<Timestamp>() && b.get<Timestamp>()) return distance(*a.get<Timestamp>(), *b.get<Timestamp>());
    return Value::failure(no_overload);
}

Value multiply(const Value& a, const Value& b) {
    const auto product = [](auto x, auto y, auto* result) { return __builtin_mul_overflow(x, y, result); };
    if (const auto result = checked<int64_t>(a, b, product)) return *result;
    if (const auto result = checked<uint64_t>(a, b, product)) return *result;
    if (a.get<double>() && b.get<double>()) return Value::of(*a.get<double>() * *b.get<double>());
    return Value::failure(no_overload);
}

Value divide(const Value& a, const Value& b) {
    if (a.get<double>() && b.get<double>()) return Value::of(*a.get<double>() / *b.get<double>());
    if (a.get<int64_t>() && b.get<int64_t>()) {
        if (*b.get<int64_t>() == 0) return Value::failure("division by zero");
        if (*a.get<int64_t>() == std::numeric_limits<int64_t>::min() && *b.get<int64_t>() == -1)
            return Value::failure(overflow);
        return Value::of(*a.get<int64_t>() / *b.get<int64_t>());
    }
    if (a.get<uint64_t>() && b.get<uint64_t>()) {
        if (*b.get<uint64_t>() == 0) return Value::failure("division by zero");
        return Value::of(*a.get<uint64_t>() / *b.get<uint64_t>());
    }
    return Value::failure(no_overload);
}

Value modulo(const Value& a, const Value& b) {
    if (a.get<int64_t>() && b.get<int64_t>()) {
        if (*b.get<int64_t>() == 0) return Value::failure("modulus by zero");
        if (*a.get<int64_t>() == std::numeric_limits<int64_t>::min() && *b.get<int64_t>() == -1)
            return Value::failure(overflow);
        return Value::of(*a.get<int64_t>() % *b.get<int64_t>());
    }
    if (a.get<uint64_t>() && b.get<uint64_t>()) {
        if (*b.get<uint64_t>() == 0) return Value::failure("modulus by zero");
        return Value::of(*a.get<uint64_t>() % *b.get<uint64_t>());
    }
    return Value::failure(no_overload);
}

Value negate(const Value& a) {
    if (const auto* i = a.get<int64_t>())
        return *i == std::numeric_limits<int64_t>::min() ? Value::failure(overflow) : Value::of(-*i);
    if (const auto* d = a.get<double>()) return Value::of(-*d);
    return Value::failure(no_overload);
}

Value compare(std::string_view op, const Value& a, const Value& b) {
    const auto found = order_values(a, b);
    if (!found) return Value::failure(no_overload);
    if (*found == std::partial_ordering::unordered) return Value::failure("NaN values cannot be ordered");
    if (op == "_<_") return Value::of(*found < 0);
    if (op == "_<=_") return Value::of(*found <= 0);
    if (op == "_>_") return Value::of(*found > 0);
    return Value::of(*found >= 0);
}

Value index(const Value& operand, const Value& key) {
    if (const Map* map = operand.map()) {
        const Value* found = lookup(*map, key);
        return found ? *found : Value::failure("no such key");
    }
    if (!operand.list() || !key.is_number()) return Value::failure(no_overload);
    MapKey position;
    const auto* at = to_key(key, position) ? std::get_if<int64_t>(&position) : nullptr;
    if (!at || *at < 0 || static_cast<uint64_t>(*at) >= operand.list()->size())
        return Value::failure("index out of bounds");
    return (*operand.list())[static_cast<size_t>(*at)];
}

Value contains(const Value& item, const Value& collection, Budget& budget) {
    if (const Map* map = collection.map()) return Value::of(lookup(*map, item) != nullptr);
    if (!collection.list()) return Value::failure(no_overload);
    for (const Value& candidate : *collection.list())
        if (equal(item, candidate, budget)) return Value::of(true);
    return Value::of(false);
}

} // namespace opcat::cel
