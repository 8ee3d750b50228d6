// cue_verdicts: for each line {"schema": TEXT, "data": VALUE} of standard input one line with the verdict
// about the value as #X of the schema: "ok", "bad", or "error: MESSAGE" for an invalid schema.
#include "opcat/cue/schema.hpp"
#include "opcat/document/json_reader.hpp"

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>

using namespace opcat;

namespace {

struct Compiled {
    std::optional<cue::Schema> schema;
    Diagnostics problems;
};

// Callers ask about many values of one schema.
const Compiled& compiled(std::string_view text) {
    static std::map<std::string, Compiled, std::less<>> all;
    const auto known = all.find(text);
    if (known != all.end()) return known->second;
    Compiled& made = all[std::string(text)];
    made.schema = cue::Schema::compile(std::make_shared<SourceFile>("schema.cue", text), made.problems);
    return made;
}

std::string verdict(const std::string& line) {
    const SourceFile file("line", line);
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    const auto value = read_json(file, 0, arena, end, problem);
    if (!value) return "error: " + problem.message;
    const Value* const text = value->find("schema");
    const Value* const data = value->find("data");
    if (!text || !data) return "error: a line needs schema and data";
    const auto& [schema, problems] = compiled(text->string_or_empty());
    if (!schema) return "error: " + problems.front().message;
    const cue::Definition* const definition = schema->find("#X");
    if (!definition) return "error: there is no #X";
    const cue::Outcome outcome = schema->check(*definition, *data);
    if (outcome.gave_up) return "error: gave up";
    const bool good = outcome.state == cue::State::complete;
    if (good != schema->violations(*definition, *data).empty())
        return "error: violations do not fit the verdict";
    return good ? "ok" : "bad";
}

} // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << verdict(line) << '\n';
}
