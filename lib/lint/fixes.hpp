// Corrections of catalogs: the fixes that findings carry, applied to the text of files. All else in a file
// stays as it is, comments and layout included.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"

#include <functional>
#include <string>
#include <vector>

namespace opcat {

// What removes a blob that is written as another one; nothing if their texts differ, or are JSON.
Fix remove_copy(const Blob& first, const Blob& copy);

// What removes an item of a list in block style, given its place; nothing for other lists.
Fix remove_item(const SourceFile& file, uint32_t offset, std::string title);

// What adds an entry to a channel whose entries are a list in block style, after the last one, on top of
// `head`. Not a safe one: which entry it should replace, its author knows.
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

// Applies fixes until there are none left: only safe ones, unless `unsafe` is wanted. Of fixes that overlap
// the first one is applied, and the others in the next round. A fix that would leave more findings in the
// catalog or in a file than there were, because what it corrects hid others, is left out. So what comes out
// has no more findings than what went in, and fixing it again changes nothing.
//
// `check` gives the findings of a catalog. It is called for every round, and some times more where fixes have
// to be left out; the number of calls is bounded. Files are written by the caller.
FixedCatalog fix_catalog(const LoadedCatalog& catalog,
                         const std::function<Diagnostics(const LoadedCatalog&)>& check, bool unsafe,
                         ThreadPool& pool);

} // namespace opcat
