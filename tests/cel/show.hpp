// Values as text, for comparing.
#pragma once

#include "opcat/cel/program.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>

namespace opcat::cel {

inline std::string show(const Value& value);

inline std::string show_key(const MapKey& key) {
    if (const auto* b = std::get_if<bool>(&key)) return *b ? "true" : "false";
    if (const auto* i = std::get_if<int64_t>(&key)) return fmt::format("{}", *i);
    if (const auto* u = std::get_if<uint64_t>(&key)) return fmt::format("{}u", *u);
    return '"' + std::get<std::string>(key) + '"';
}

inline std::string show(const Value& value) {
    if (value.get<Null>()) return "null";
    if (const auto* b = value.get<bool>()) return *b ? "true" : "false";
    if (const auto* i = value.get<int64_t>()) return fmt::format("{}", *i);
    if (const auto* u = value.get<uint64_t>()) return fmt::format("{}u", *u);
    if (const auto* d = value.get<double>())
        return std::isnan(*d) ? "double(nan)" : fmt::format("double({})", *d == 0 ? 0.0 : *d);
    if (const auto* s = value.string()) return '"' + *s + '"';
    if (const auto* bytes = value.bytes()) {
        std::string text = "b";
        for (const unsigned char c : *bytes) text += fmt::format("{:02x}", c);
        return text;
    }
    if (const auto* list = value.list()) {
        std::string text = "[";
        for (const Value& item : *list) text += (text.size() > 1 ? ", " : "") + show(item);
        return text + ']';
    }
    if (const auto* map = value.map()) {
        std::string text = "{";
        for (const auto& [key, item] : *map)
            text += (text.size() > 1 ? ", " : "") + show_key(key) + ": " + show(item);
        return text + '}';
    }
    if (const auto* type = value.get<TypeName>()) return "type " + std::string(type->name);
    if (const auto* t = value.get<Timestamp>())
        return fmt::format("time {}.{:09}", t->seconds, t->nanoseconds);
    if (const auto* d = value.get<Duration>()) return fmt::format("duration {}ns", d->nanoseconds);
    return "failure";
}

// The value of an expression over `properties`, "failure", or what does not compile.
inline std::string answer(std::string_view expression, std::span<const Variable> variables,
                          std::span<const Binding> bindings) {
    const auto program = Program::compile(expression, variables);
    if (!program) return program.error();
    Budget budget(1'000'000);
    const auto value = program->evaluate(bindings, budget);
    return value ? show(*value) : "failure";
}

} // namespace opcat::cel
