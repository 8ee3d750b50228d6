// One mistake, one finding: which findings are only consequences of others (Explains in base/diagnostic.hpp).
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/subject.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace opcat {

// A finding of one catalog, and what it is about.
struct ExplainedFinding {
    const Diagnostic* finding;
    std::string_view package;
    const void* blob; // the same for all findings about one blob; nullptr: none
    bool is_consequence = false;
    Severity severity = finding->severity; // the worst of its own and of those that it explains
};

// Sets the last two members. A consequence explains nothing itself: a misspelled schema explains that a
// package is unknown, and this that an entry has no bundle. Near-linear.
void find_consequences(std::vector<ExplainedFinding>& findings);

// Returns what a finding is about, or for a cause, what it explains.
Subject explained_subject(const Diagnostic& finding, const Subjects& subjects);

// Removes consequences from the findings of one catalog, and returns their number. A cause becomes as severe
// as the worst of what it explains, so that a catalog with errors never passes.
size_t drop_consequences(Diagnostics& findings, const Subjects& subjects);

} // namespace opcat
