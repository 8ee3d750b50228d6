// Fixes that several checks offer. Everything else in a file stays unchanged, comments and layout included.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/catalog.hpp"

#include <string>
#include <string_view>

namespace opcat {

// Removes a blob that repeats another one; nothing if their texts differ, or are JSON.
Fix remove_copy(const Blob& first, const Blob& copy);

// Removes an item of a list in block style, given its place; nothing for other lists.
Fix remove_item(const SourceFile& file, uint32_t offset, std::string title);

// Adds an entry to a channel whose entries are a list in block style, after the last one, replacing `head`;
// nothing for other lists, and for names that need quotes.
// Not a safe fix: only the author knows which entry it should replace.
Fix add_entry(const Channel& channel, std::string_view name, std::string_view head);

} // namespace opcat
