// Where a catalog names its packages, channels and bundles: for definitions, references and new names.
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

// What a name stands for. It belongs to a package; a package is named by `package` alone.
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
    bool is_plain = false; // the text is written there as it is
};

// All of them in some blobs, in their order.
std::vector<Mention> mentions_in(const Catalog& catalog);

// The one that a place in a file is in, the end of the name included. Nothing where the document does not
// load.
std::optional<Mention> mention_at(const CatalogAnalysis& analysis, std::string_view path, Place place,
                                  Encoding encoding);

// All mentions of a thing in the text as it is now, each place once: definitions first.
std::vector<Mention> mentions_of(const CatalogAnalysis& analysis, const Thing& thing);

// The edits that give a thing another name wherever it is mentioned. Throws RequestError if that cannot be
// its name, if another has it, or if it is written in a way that cannot be edited.
std::vector<TextEdit> rename(const CatalogAnalysis& analysis, const Thing& thing, std::string_view name);

// The blobs of one package as others see them.
PackageIndex index_of_package(const CatalogAnalysis& analysis, std::string_view package);

// The names of all packages that the catalog defines or mentions, in its order.
std::vector<std::string_view> packages_of(const CatalogAnalysis& analysis);

} // namespace opcat::lsp
