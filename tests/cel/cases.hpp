// Expressions and their answers, as tests list them.
#pragma once

#include "opcat/document/json_reader.hpp"
#include "show.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace opcat::cel {

inline const std::vector<Variable> variables = {
    {"properties", Type::list(Type::map(TypeKind::string, TypeKind::any))}};

inline std::string ask(std::string_view expression, std::string_view properties = "[]") {
    const SourceFile file("properties", properties);
    Arena arena;
    uint32_t end = 0;
    Diagnostic problem;
    const auto value = read_json(file, 0, arena, end, problem);
    REQUIRE(value);
    const std::vector<Binding> bindings = {{"properties", from_json(*value)}};
    return answer(expression, variables, bindings);
}

struct Case {
    std::string_view expression;
    std::string_view answer;
};

inline void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        CAPTURE(c.expression);
        CHECK(ask(c.expression) == c.answer);
    }
}

} // namespace opcat::cel
