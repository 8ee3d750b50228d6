// Files of any kind are cut into documents that follow each other, and each can be read or says why not.
#include "opcat/document/stream.hpp"
#include "trees.hpp"

using namespace opcat;

FUZZ_TARGET(stream) {
    const SourceFile file("f", input);
    Diagnostics problems;
    uint32_t last = 0;
    for (const DocumentRange& range : split_into_documents(file, problems)) {
        fuzz::require(last <= range.begin && range.begin <= range.end && range.end <= input.size(),
                      "documents follow each other");
        last = range.end;
        Arena arena;
        Diagnostic problem;
        if (const auto value = read_document(file, range, arena, problem))
            fuzz::require_sound(*value, file);
        else
            fuzz::require_place(problem, file);
    }
    for (const Diagnostic& problem : problems) fuzz::require_place(problem, file);
}
