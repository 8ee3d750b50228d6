// The places where a catalog names its packages, channels and bundles: for definitions, references and
// renaming.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/lsp/catalog_analysis.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

enum class ThingKind : uint8_t { package, channel, bundle };

// A package, channel or bundle. It belongs to a package; a package only has `package`.
struct Thing {
    ThingKind kind = ThingKind::package;
    std::string package;
    std::string name;

    const std::string& own_name() const { return kind == ThingKind::package ? package : name; }

    friend bool operator==(const Thing&, const Thing&) = default;
};

struct Mention {
    Thing thing;
    Location where; // the name, without quotes
    bool defines = false;
    bool is_plain = false; // the text is written there unchanged
};

// All of them in some blobs, in their order.
std::vector<Mention> mentions_in(const Catalog& catalog);

// The mention at a place in a file; its end counts as part of it. Nothing if the document does not load.
std::optional<Mention> mention_at(const CatalogAnalysis& analysis, std::string_view path, Place place,
                                  Encoding encoding);

// All mentions of a thing in the current text, without duplicates: definitions first.
std::vector<Mention> mentions_of(const CatalogAnalysis& analysis, const Thing& thing);

// The edits that rename a thing wherever it is mentioned. Throws RequestError if the name is not valid, if
// another thing has it, or if one of the places cannot be edited.
std::vector<TextEdit> rename(const CatalogAnalysis& analysis, const Thing& thing, std::string_view name);

// The blobs of one package as others see them.
PackageIndex index_of_package(const CatalogAnalysis& analysis, std::string_view package);

// The names of all packages that the catalog defines or mentions, in its order.
std::vector<std::string_view> packages_of(const CatalogAnalysis& analysis);

} // namespace opcat::lsp
