// Applies the fixes of findings to the text of files.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <functional>
#include <string>
#include <vector>

namespace opcat {

// One place of a fix.
struct AppliedChange {
    std::string path;       // as it is shown
    uint32_t line = 1;      // in the file as it was before all fixes
    uint32_t last_line = 1; // greater than `line` if the fix changes all lines up to this one
    std::string_view rule;
    std::string what; // the title of the fix; of one of several places: what happens there
};

struct FixedFile {
    std::string path; // as it is shown
    std::string before;
    std::string after;
};

struct FixedCatalog {
    std::vector<FixedFile> files;       // those that changed
    std::vector<AppliedChange> changes; // in the order of files and lines
    size_t fixes = 0;                   // that were applied
    bool complete = true;               // false: at a limit, fixes were left out that may be good
};

// Applies fixes until there are none left: only safe ones, unless `unsafe`. Of overlapping fixes the first
// one is applied, and the others in the next round. `findings` are those of the catalog, all of them;
// `check` returns those of an edited one, which may have only the packages that fixes are about.
//
// A file is only changed if it reads as a catalog or a template afterwards (reads_as_blobs), and if its blobs
// stay as they are but for what its fixes are about (changes_only). A fix is left out after which the catalog
// or a file would have more findings, because the mistake hid others, unless more of the catalog can be
// loaded; and a fix after which opm would refuse a catalog that it takes. Fixing the result again changes
// nothing. The number of checks is bounded. The caller writes the files.
struct FixOptions {
    std::function<Diagnostics(const LoadedCatalog&)> check;
    std::function<bool(const std::string& path)> may_change; // of a file as it is shown
    bool unsafe = false;
    size_t share = 1; // with 1/share of the usual limit of work
};
FixedCatalog fix_catalog(const LoadedCatalog& catalog, const Diagnostics& findings, const FixOptions& options,
                         ThreadPool& pool);

} // namespace opcat
