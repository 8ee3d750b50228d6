// Applies the fixes of findings to the text of files. Everything else in a file stays unchanged, comments and
// layout included.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <functional>
#include <string>
#include <vector>

namespace opcat {

// Removes a blob that repeats another one; nothing if their texts differ, or are JSON.
Fix remove_copy(const Blob& first, const Blob& copy);

// Removes an item of a list in block style, given its place; nothing for other lists.
Fix remove_item(const SourceFile& file, uint32_t offset, std::string title);

// Adds an entry to a channel whose entries are a list in block style, after the last one, replacing `head`.
// Not a safe fix: only the author knows which entry it should replace.
Fix add_entry(const Channel& channel, std::string_view name, std::string_view head);

struct FixedFile {
    std::string path; // as it is shown
    std::string before;
    std::string after;
};

struct FixedCatalog {
    std::vector<FixedFile> files; // those that changed
    size_t fixes = 0;             // that were applied
};

// Applies fixes until there are none left: only safe ones, unless `unsafe`. Of overlapping fixes the first
// one is applied, and the others in the next round. A fix after which the catalog or a file would have more
// findings, because the mistake hid others, is left out. So the result never has more findings than the
// input, and fixing it again changes nothing.
// `check` returns the findings of a catalog. It is called for every round, and a few times more if fixes must
// be left out; the number of calls is bounded. The caller writes the files.
FixedCatalog fix_catalog(const LoadedCatalog& catalog,
                         const std::function<Diagnostics(const LoadedCatalog&)>& check, bool unsafe,
                         ThreadPool& pool);

} // namespace opcat
