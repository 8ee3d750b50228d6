// The verdicts of lib/cel about expressions: reads a JSON array of {"expression", "properties"} from standard
// input and writes a line for each: true, false, failure, or why it does not compile. judge_test.py compares.
#include "opcat/cel/program.hpp"
#include "opcat/document/json_reader.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>

using namespace opcat;

namespace {

std::string verdict(std::string_view expression, const Value& properties) {
    const std::vector<cel::Variable> variables = {
        {"properties", cel::Type::list(cel::Type::map(cel::TypeKind::string, cel::TypeKind::any))}};
    const auto program = cel::Program::compile(expression, variables);
    if (!program) return "does not compile: " + program.error().substr(0, program.error().find('\n'));
    if (program->type().kind() != cel::TypeKind::boolean) return "does not compile: no bool";
    const std::vector<cel::Binding> bindings = {{"properties", cel::from_json(properties)}};
    cel::Budget budget(1'000'000);
    const auto value = program->evaluate(bindings, budget);
    if (!value) return "failure";
    return value->is_true() ? "true" : "false";
}

} // namespace

int main() {
    const std::string text((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
    const SourceFile file("standard input", text);
    Arena arena;
    uint32_t end = 0;
    Diagnostic problem;
    const auto questions = read_json(file, 0, arena, end, problem);
    if (!questions || !questions->is_array()) {
        fmt::print(stderr, "standard input is not an array of questions\n");
        return 1;
    }
    for (const Value& question : questions->items())
        fmt::print("{}\n", verdict(question.find("expression")->string(), *question.find("properties")));
}
