// Selects the findings that a project wants reported: the levels of its configuration, comments that suppress
// findings, changes, and known findings.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/lint/subject.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace opcat {

class Baseline;
struct ChangedParts;
struct Configuration;

// The findings of one catalog, or of one bundle.
struct FoundIn {
    Diagnostics findings;
    const Configuration* configuration = nullptr;   // nullptr: every finding keeps its level
    const std::vector<Location>* remarks = nullptr; // LoadedCatalog::remarks; nullptr: no suppressions
    bool complete =
        true; // all rules were checked on all of it, so a suppression without a finding is outdated
    const ChangedParts* changed = nullptr; // nullptr: findings about the whole catalog
};

struct SelectionOptions {
    const Baseline* baseline = nullptr; // known findings, which are not reported
    bool strict = false;                // warnings become errors
    bool consequences = false;          // also findings that others explain
    // The options of the command line that decide what is looked for, in words that are the same for the same
    // question: a baseline of another question does not lose what this one does not find.
    std::string asked = {};
    bool rules = true;     // the findings are those of rules,
    bool policies = false; // and those of policies
};

// A check that was not made, such as one of a pipeline that asks a registry.
struct NotChecked {
    std::string check;
    std::string why;
};

// The numbers of findings that are not reported, and what was not looked for.
struct LeftOut {
    size_t suppressed = 0; // by comments
    size_t known = 0;      // in the baseline
    size_t explained = 0;  // consequences of others
    // About what has not changed, if only changes are reported; the errors among them.
    size_t unchanged = 0;
    size_t unchanged_errors = 0;
    bool unread_bundles = false; // of templates: the rules about them were not checked
    std::vector<NotChecked> not_checked = {};
};

struct SelectedFindings : LeftOut {
    Diagnostics findings; // sorted by place
    // Fingerprints of the baseline that no finding has, of packages and rules that were checked; nothing if
    // not all findings were looked for.
    std::optional<std::unordered_set<std::string>> outdated;
    std::string asked; // SelectionOptions::asked
};

// In this order: levels, comments, changes, the baseline, consequences, and strictness: what a known finding
// explains is reported, unless it is known, too. `subjects` are those of all findings. Near-linear in the
// number of findings.
SelectedFindings select_findings(std::vector<FoundIn> found, const Subjects& subjects,
                                 const SelectionOptions& options);

} // namespace opcat
