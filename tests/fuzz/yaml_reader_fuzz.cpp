// YAML read by libyaml: no input crashes or hangs the reader, results can be written and read again, and
// aliases are limited.
#include "trees.hpp"

using namespace opcat;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const SourceFile file("f", fuzz::text_of(data, size));
    Arena arena;
    Diagnostic problem;
    const auto value = read_yaml(file, 0, static_cast<uint32_t>(size), arena, problem);
    if (!value) {
        fuzz::require_place(problem, file);
        return 0;
    }
    fuzz::require_sound(*value, file);
    fuzz::require_round_trip(*value);
    return 0;
}
