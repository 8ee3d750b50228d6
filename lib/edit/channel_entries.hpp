// Entries of channels: finding them, and the edges that a new one gets.
#pragma once

#include "opcat/edit/edit.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::edit {

// An entry as a file has it.
struct EntryText {
    const Value* value;
    size_t index;

    std::string_view text(std::string_view field) const;
    std::string_view name() const { return text("name"); }
    std::string_view replaces() const { return text("replaces"); }
    std::vector<std::string_view> skips() const;
};
std::vector<EntryText> entries_of(const BlobText& channel);
std::optional<EntryText> find_entry(const BlobText& channel, std::string_view name);

// The channel of a package. Throws RequestError with the nearest names.
BlobText required_channel(const CatalogText& file, std::string_view package, std::string_view channel);

// Adds entries for bundles of one package to a channel, the lowest version first; a channel that is missing
// is made. Without a choice each goes above what is older and below what is newer, and a patch release takes
// all users of its minor version to it.
void add_entries(CatalogText& file, std::string_view channel, const std::vector<Release>& releases,
                 const EdgeChoice& choice, std::vector<std::string>& done);

} // namespace opcat::edit
