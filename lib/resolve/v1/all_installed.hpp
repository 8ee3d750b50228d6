// What becomes of every version of a package: the table to look at before a catalog is published.
#pragma once

#include "base/thread_pool.hpp"
#include "resolve/v1/resolver.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opcat::olmv1 {

struct Fate {
    enum class Kind : uint8_t { stays, moves, stuck };
    InstalledBundle installed;
    Kind kind = Kind::stays;
    std::optional<Choice> choice; // of what stays or moves
    std::string why;              // the edge, why nothing newer is reached, or OLM's error
};

// The request with every bundle of the package, in all selected catalogs, in turn as the installed one;
// lowest version first, those whose version cannot be read left out. The request's own installed bundle does
// not count.
std::vector<Fate> fates(const Request& request, std::span<const NamedCatalog> catalogs, ThreadPool& pool);

// What differs for an installed version between two such tables.
struct FateChange {
    enum class Kind : uint8_t { same, changed, added, removed };
    Kind kind;
    const Fate* before = nullptr; // nullptr: added
    const Fate* after = nullptr;  // nullptr: removed
    // The version was not stuck, or moved on, and does not so any more.
    bool is_worse() const;
};

// In the order of `after`; what is only in `before` stands behind. Refers to both.
std::vector<FateChange> compare(const std::vector<Fate>& before, const std::vector<Fate>& after);

} // namespace opcat::olmv1
