#include "opcat/lsp/outline.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/source_lines.hpp"

#include <algorithm>

namespace opcat::lsp {

namespace {

class SymbolReader {
public:
    SymbolReader(const CatalogAnalysis& analysis, Encoding encoding)
        : analysis_(analysis), encoding_(encoding) {}

    void read(const Piece& piece) {
        const Catalog& catalog = piece.loaded.catalog;
        for (const Package& blob : catalog.packages) add(piece, blob, schema::package, ThingKind::package);
        for (const Channel& blob : catalog.channels) {
            Symbol& symbol = add(piece, blob, schema::channel, ThingKind::channel);
            for (const ChannelEntry& entry : blob.entries) {
                if (entry.name.empty()) continue;
                const Range name = range_of(blob.at(entry.name));
                symbol.children.push_back(
                    {std::string(entry.name.text), "", ThingKind::bundle, name, name, {}});
            }
        }
        for (const Bundle& blob : catalog.bundles) add(piece, blob, schema::bundle, ThingKind::bundle);
        for (const Deprecations& blob : catalog.deprecations)
            add(piece, blob, schema::deprecations, std::nullopt);
        for (const OtherBlob& blob : catalog.others) add(piece, blob, blob.schema, std::nullopt);
    }
    std::vector<Symbol> take() {
        std::stable_sort(all_.begin(), all_.end(),
                         [](const Symbol& a, const Symbol& b) { return a.range.begin < b.range.begin; });
        return std::move(all_);
    }

private:
    Range range_of(const Location& where) const {
        const auto place = analysis_.place_of(where, encoding_);
        return place ? place->range : Range();
    }

    Symbol& add(const Piece& piece, const Blob& blob, std::string_view schema,
                std::optional<ThingKind> kind) {
        const std::string_view name = !blob.name.empty()      ? blob.name.text
                                      : !blob.package.empty() ? blob.package.text
                                                              : schema;
        const ByteRange document = document_of(piece.bytes(), blob.value.offset());
        std::string_view text = piece.bytes().substr(blob.value.offset(), document.end - blob.value.offset());
        text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
        Symbol symbol{std::string(name),
                      std::string(schema),
                      kind,
                      range_of({piece.text, blob.value.offset(), static_cast<uint32_t>(text.size())}),
                      range_of(blob.name.empty() ? blob.start() : blob.at(blob.name)),
                      {}};
        // Clients want the name inside of the whole.
        symbol.range.begin = std::min(symbol.range.begin, symbol.selection.begin);
        symbol.range.end = std::max(symbol.range.end, symbol.selection.end);
        return all_.emplace_back(std::move(symbol));
    }

    const CatalogAnalysis& analysis_;
    Encoding encoding_;
    std::vector<Symbol> all_;
};

} // namespace

std::vector<Symbol> symbols_of(const CatalogAnalysis& analysis, std::string_view path, Encoding encoding) {
    SymbolReader reader(analysis, encoding);
    if (const EditedFile* const file = analysis.find(path))
        for (const auto& piece : file->pieces()) reader.read(*piece);
    return reader.take();
}

std::vector<FoundSymbol> find_symbols(const CatalogAnalysis& analysis, std::string_view text, size_t most,
                                      Encoding encoding) {
    const std::string wanted = ascii_lower(text);
    std::vector<FoundSymbol> found;
    for (const auto& [path, file] : analysis.files())
        for (const auto& piece : file.pieces())
            for (Mention& mention : mentions_in(piece->loaded.catalog)) {
                if (found.size() == most) return found;
                const std::string& name = mention.thing.own_name();
                if (!mention.defines || ascii_lower(name).find(wanted) == std::string::npos) continue;
                if (const auto place = analysis.place_of(mention.where, encoding))
                    found.push_back({std::move(mention.thing), *place});
            }
    return found;
}

std::vector<Fold> folds_of(std::string_view text, size_t most) {
    struct Open {
        size_t indent;
        uint32_t line;
    };
    std::vector<Fold> folds;
    std::vector<Open> open;
    uint32_t number = 0;
    uint32_t last = 0; // that says something
    uint32_t document = 0;
    const auto add = [&](uint32_t first, uint32_t end) {
        if (end > first && folds.size() < most) folds.push_back({first, end});
    };
    const auto close = [&](size_t indent) {
        while (!open.empty() && open.back().indent >= indent) {
            add(open.back().line, last);
            open.pop_back();
        }
    };
    for (const std::string_view line : lines_of(text)) {
        const size_t indent = line.find_first_not_of(" \t\r");
        if (line.starts_with("---")) {
            close(0);
            add(document, last);
            document = number;
            last = number;
        } else if (indent != line.npos) {
            close(indent);
            open.push_back({indent, number});
            last = number;
        }
        ++number;
    }
    close(0);
    if (document > 0) add(document, last);
    std::sort(folds.begin(), folds.end(), [](const Fold& a, const Fold& b) { return a.first < b.first; });
    return folds;
}

} // namespace opcat::lsp
