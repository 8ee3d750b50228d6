// Which findings a project wants reported: the levels of its configuration, comments that suppress findings,
// what changed, and the findings that it knows already.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/subject.hpp"

#include <cstddef>
#include <vector>

namespace opcat {

class Baseline;
struct ChangedParts;
struct Configuration;

// What was found in one catalog, or in one bundle.
struct FoundIn {
    Diagnostics findings;
    const Configuration* configuration = nullptr; // nullptr: every rule has the level of its findings
    const std::vector<Location>* remarks =
        nullptr; // LoadedCatalog::remarks; nullptr: comments suppress nothing
    bool complete =
        true; // all rules were checked on all of it, so a comment without a finding is out of date
    const ChangedParts* changed = nullptr; // nullptr: all of it is reported on
};

struct SelectionOptions {
    const Baseline* baseline = nullptr; // what it has is not reported
    bool strict = false;                // warnings become errors
};

struct SelectedFindings {
    Diagnostics findings;  // sorted by place
    size_t suppressed = 0; // findings that comments keep from being reported
    size_t known = 0;      // findings that the baseline has
};

// Levels first, then comments, what did not change, the baseline, and strictness. `subjects` are those of all
// findings. Near-linear in the number of findings.
SelectedFindings select_findings(std::vector<FoundIn> found, const Subjects& subjects,
                                 const SelectionOptions& options);

} // namespace opcat
