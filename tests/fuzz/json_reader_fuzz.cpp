// JSON: no input crashes or hangs the reader, and what it reads can be written and read again.
#include "trees.hpp"

using namespace opcat;

FUZZ_TARGET(json_reader) {
    const SourceFile file("f", input);
    Arena arena;
    Diagnostic problem;
    uint32_t end = 0;
    const auto value = read_json(file, 0, arena, end, problem);
    if (!value) {
        fuzz::require_place(problem, file);
        return;
    }
    fuzz::require(end <= input.size(), "a value ends in its file");
    fuzz::require_sound(*value, file);
    fuzz::require_round_trip(*value);
}
