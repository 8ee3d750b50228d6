// Answers what a client asks about a place or a file, as JSON.
#pragma once

#include "opcat/lsp/actions.hpp"
#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/edit_actions.hpp"
#include "opcat/lsp/field_schemas.hpp"
#include "opcat/lsp/mentions.hpp"
#include "opcat/lsp/outline.hpp"
#include "opcat/lsp/protocol.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

// An open text.
struct TextView {
    std::string path;
    // The catalog that it is part of; nullptr: it is none of a catalog, and `text` is all of it.
    const CatalogAnalysis* analysis = nullptr;
    std::string_view text;
    // The catalog that it is likely to mean; nullptr: none is open.
    const CatalogAnalysis* meant = nullptr;
};

class Features {
public:
    Features(const DiagnosticForm& form, const FieldSchemas& schemas) : form_(form), schemas_(schemas) {}

    Json completion(const TextView& view, Place place) const;
    Json hover(const TextView& view, Place place) const;
    Json definition(const TextView& view, Place place) const;
    Json references(const TextView& view, Place place, bool with_definitions) const;
    Json highlights(const TextView& view, Place place) const;
    Json prepare_rename(const TextView& view, Place place) const;
    Json rename(const TextView& view, Place place, const std::string& name) const;
    Json symbols(const TextView& view) const;
    Json folds(const TextView& view) const;
    Json formatting(const TextView& view) const;
    // `only`: kinds that the client wants; none: all.
    Json actions(const TextView& view, const Range& range, const std::vector<std::string>& only) const;

    // Returns what the place names, if it names something of a catalog.
    std::optional<Mention> mention(const TextView& view, Place place) const;

private:
    struct Spot;
    std::optional<Spot> spot(const TextView& view, Place place) const;
    Json locations(const TextView& view, const std::vector<Mention>& mentions) const;
    Json workspace_edit(const CatalogAnalysis& analysis, const std::vector<TextEdit>& edits) const;

    const DiagnosticForm& form_;
    const FieldSchemas& schemas_;
};

Json to_json(const std::vector<FoundSymbol>& symbols, const DiagnosticForm& form);

} // namespace opcat::lsp
