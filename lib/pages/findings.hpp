// Findings of `validate` without references to their files, for pages.
#pragma once

#include "opcat/lint/lint.hpp"

#include <optional>
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
    std::string package; // its package; empty: none
    std::string schema;  // of the blob; empty: none
    std::string name;    // of the blob
    size_t count = 1;    // more than 1 if it represents several
    bool is_rest = false;
};

// Equal warnings and notes become one finding. `root`: the prefix of file names, which is removed.
std::vector<PageFinding> page_findings(const LintResult& result, std::string_view root);

// Those of `validate`, which takes as long as that does.
std::vector<PageFinding> find_for_pages(const Source& source, ThreadPool& pool);

// The same in a directory of files that load, a few megabytes at a time: files that have blobs of the same
// package are checked together. Nothing if that may not be all: if files do not load, or a finding is about
// several packages. Throws Error for files that cannot be read.
std::optional<std::vector<PageFinding>> find_in_parts(const std::string& directory,
                                                      const LoadOptions& options, ThreadPool& pool);

// "2 errors, 1 note"; empty without findings.
std::string findings_in_words(std::span<const PageFinding> findings);

// A badge with the number of the most severe ones; empty without findings.
std::string findings_badge(const std::vector<const PageFinding*>& findings);

// A list of at most `most` findings, errors first; then a line with the number of the others.
std::string findings_list(const std::vector<const PageFinding*>& findings, size_t most);

} // namespace opcat::pages
