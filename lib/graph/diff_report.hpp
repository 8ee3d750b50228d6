// The difference of two catalogs as people and programs read it.
#pragma once

#include "opcat/graph/catalog_diff.hpp"
#include "opcat/graph/channel_changes.hpp"
#include "opcat/graph/draw.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// A catalog in a report, which shows one or several.
struct NamedDiff {
    std::string name; // of the catalog; empty if there is only one
    CatalogDiff diff;
    std::vector<ComparedChannel> channels = {}; // for drawings
};

std::string diff_as_text(const CatalogDiff& diff, bool colour);
// For a comment of a forge: a summary, regressions, and the rest folded, in fewer than 60,000 characters.
// Nothing in it is live: no mention, link or HTML of the catalogs.
std::string diff_as_markdown(const std::vector<NamedDiff>& diffs);
// One JSON object of schema "opcat.diff.v1" (docs/json-output.md), with a line break at the end.
std::string diff_as_json(const std::vector<NamedDiff>& diffs);
// A page with both graphs of each changed channel side by side. It has no scripts and loads nothing, and can
// be read where the styles in it are forbidden, too. With a place it is one page of several, whose styles are
// next to the others.
std::string diff_as_html(const std::vector<NamedDiff>& diffs, const PagePlace& place = {});
// The content of diff.css.
std::string_view diff_style();

} // namespace opcat
