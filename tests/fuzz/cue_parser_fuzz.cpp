// Schemas as people write them are parsed and compiled, or get an error with its place.
#include "fuzzing.hpp"
#include "opcat/cue/json_schema.hpp"
#include "opcat/cue/schema.hpp"

#include <vector>

using namespace opcat;

FUZZ_TARGET(cue_parser) {
    const auto file = std::make_shared<SourceFile>("fuzz.cue", input);
    Diagnostics problems;
    const auto schema = cue::Schema::compile(file, problems);
    fuzz::require(schema.has_value() == problems.empty(), "there is a schema, or a problem");
    for (const Diagnostic& problem : problems) {
        fuzz::require(problem.where.file == file.get(), "a problem names the file");
        fuzz::require(problem.where.offset + size_t{problem.where.length} <= input.size(),
                      "a problem is in the file");
        fuzz::require(!problem.message.empty(), "a problem says what it is");
        to_text(problem, {.colour = true, .width = 80});
    }
    if (!schema) return;
    std::vector<cue::JsonSchemaCase> cases;
    for (const cue::Definition& definition : schema->definitions()) {
        schema->constant(definition, "schema");
        schema->comment(definition.documentation);
        cases.push_back({&*schema, &definition});
    }
    fuzz::require(!cue::to_json_schema(cases, "fuzz").empty(), "a schema can be exported");
    // The written form means the same; it is in a file of its own.
    const auto text =
        std::make_shared<SourceFile>("again.cue", cue::to_cue(std::vector<cue::SchemaPart>{{&*schema}}));
    const auto again = cue::Schema::compile(text, problems);
    fuzz::require(again.has_value(), "what is exported as CUE can be read");
    fuzz::require(again->definitions().size() == schema->definitions().size(), "nothing is lost in it");
}
