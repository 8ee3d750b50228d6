// The Common Expression Language (github.com/google/cel-spec) as OLM has it: cel-go's standard environment,
// its macros, and semver_compare. Messages are cel-go's, because OLM shows them; syntax errors have our own
// words at the position that cel-go names.
//
// Left out are protocol buffer messages, and time zones by name.
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

// A JSON value as expressions see it: numbers are doubles.
Value from_json(const opcat::Value& value);

// An expression that was found to make sense. Copies share it; evaluating may happen on several threads.
class Program {
public:
    // `variables` are what may be used in it. The error is one text, in cel-go's layout.
    static Result<Program, std::string> compile(std::string_view source, std::span<const Variable> variables);

    const Type& type() const;

    // The value, or why there is none. Takes what it costs from the budget, and fails when that is not
    // enough.
    Result<Value, std::string> evaluate(std::span<const Binding> bindings, Budget& budget) const;

private:
    struct Content;
    std::shared_ptr<const Content> content_;
};

} // namespace opcat::cel
