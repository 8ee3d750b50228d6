// The Common Expression Language (github.com/google/cel-spec) as OLM uses it: cel-go's standard environment,
// its macros, and semver_compare. Messages are cel-go's, because OLM shows them; the text of syntax errors is
// our own, at the position that cel-go reports.
// Not supported: protocol buffer messages, and time zones by name.
#pragma once

#include "opcat/base/error.hpp"
#include "opcat/cel/checker.hpp"
#include "opcat/cel/functions.hpp"
#include "opcat/cel/value.hpp"
#include "opcat/document/value.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace opcat::cel {

struct Binding {
    std::string_view name;
    Value value;
};

// Converts a JSON value: numbers become doubles.
Value from_json(const opcat::Value& value);

// A valid expression. Copies share it; several threads may evaluate it.
class Program {
public:
    // `variables` are those that the expression may use. The error is one text, in cel-go's layout.
    static Result<Program, std::string> compile(std::string_view source, std::span<const Variable> variables);

    const Type& type() const;

    // The value, or why there is none. Charges the budget, and fails when it is exceeded.
    Result<Value, std::string> evaluate(std::span<const Binding> bindings, Budget& budget) const;

private:
    struct Content;
    std::shared_ptr<const Content> content_;
};

} // namespace opcat::cel
