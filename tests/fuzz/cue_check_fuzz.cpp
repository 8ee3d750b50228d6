// A schema, and after a NUL a document, which is checked by every definition.
#include "fuzzing.hpp"
#include "opcat/cue/schema.hpp"
#include "opcat/document/json_reader.hpp"

#include <algorithm>

using namespace opcat;

FUZZ_TARGET(cue_check) {
    const size_t end = std::min(input.find('\0'), input.size());
    const auto file = std::make_shared<SourceFile>("fuzz.cue", input.substr(0, end));
    Diagnostics problems;
    const auto schema = cue::Schema::compile(file, problems);
    if (!schema) return;
    const SourceFile document("fuzz.json", input.substr(std::min(end + 1, input.size())));
    Arena arena;
    Diagnostic problem;
    uint32_t behind = 0;
    const auto value = read_json(document, 0, arena, behind, problem);
    if (!value) return;
    for (const cue::Definition& definition : schema->definitions()) {
        const cue::Outcome outcome = schema->check(definition, *value);
        if (outcome.gave_up) continue;
        const auto violations = schema->violations(definition, *value);
        fuzz::require((outcome.state == cue::State::complete) == violations.empty(),
                      "there are violations exactly where a document does not fit");
        for (const cue::Violation& violation : violations) {
            fuzz::require(!violation.message.empty(), "a violation says what it is");
            fuzz::require(violation.value->offset() <= document.bytes().size(), "it is in the document");
            fuzz::require(violation.schema.end <= file->bytes().size(), "the schema says so somewhere");
        }
    }
}
