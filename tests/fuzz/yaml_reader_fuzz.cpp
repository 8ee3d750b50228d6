// YAML read by libyaml: no input crashes or hangs the reader, results can be written and read again, and
// aliases are limited.
#include "trees.hpp"

using namespace opcat;

FUZZ_TARGET(yaml_reader) {
    const SourceFile file("f", input);
    Arena arena;
    Diagnostic problem;
    const auto value = read_yaml(file, 0, static_cast<uint32_t>(input.size()), arena, problem);
    if (!value) {
        fuzz::require_place(problem, file);
        return;
    }
    fuzz::require_sound(*value, file);
    fuzz::require_round_trip(*value);
}
