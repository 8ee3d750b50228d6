// Findings of `validate` without the files that they point into, for pages.
#pragma once

#include "opcat/lint/lint.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::pages {

struct PageFinding {
    Severity severity = Severity::error;
    std::string_view rule; // of static duration
    std::string message;
    std::string help;
    std::string place;   // "foo/catalog.yaml:3:1", relative to the catalog's root; empty: nowhere
    std::string package; // that it is about; empty: none
    std::string schema;  // of the blob; empty: none
    std::string name;    // of the blob
    size_t count = 1;    // more: it stands for several that are alike
};

// Alike warnings and notes are one finding. `root`: what names of files begin with, which is left out.
std::vector<PageFinding> page_findings(const LintResult& result, std::string_view root);

// "2 errors, 1 note"; empty without findings.
std::string findings_in_words(std::span<const PageFinding> findings);

// A badge with the number of the gravest ones; empty without findings.
std::string findings_badge(const std::vector<const PageFinding*>& findings);

// A list of findings, errors first. At most `most` of them; then a line says how
// many more there are.
std::string findings_list(const std::vector<const PageFinding*>& findings, size_t most);

} // namespace opcat::pages
