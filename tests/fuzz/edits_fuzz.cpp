// Edits in an editor: after each of them, what the language server has found is what a fresh analysis of the
// same text finds. The input begins with a catalog, then "EDIT" and for each edit two places of two bytes and
// a text up to the next "EDIT".
#include "../load_text.hpp"
#include "fuzzing.hpp"
#include "opcat/base/text.hpp"
#include "opcat/lint/lint.hpp"
#include "opcat/lsp/catalog_analysis.hpp"
#include "opcat/lsp/completion.hpp"
#include "opcat/lsp/mentions.hpp"
#include "opcat/lsp/outline.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

using namespace opcat;

namespace {

constexpr std::string_view mark = "EDIT";
const std::string path = "/catalog/c.yaml";

// Rule, message and place.
using Found = std::multiset<std::tuple<std::string, std::string, uint32_t, uint32_t>>;

Found found_by(const lsp::CatalogAnalysis& analysis) {
    Found all;
    for (const Diagnostic* finding : analysis.findings(path)) {
        const auto place = analysis.place_of(finding->where, lsp::Encoding::utf8);
        fuzz::require(place.has_value(), "a finding has a place in the file");
        const auto [line, character] = place->range.begin;
        all.emplace(finding->rule, finding->message, line, character);
    }
    return all;
}

Found fresh(const std::string& text, const Schemas& schemas, ThreadPool& pool) {
    const LoadedCatalog loaded = load_text(text, path);
    const lsp::LineIndex lines(text);
    Found all;
    for (const Diagnostic& finding :
         lint({{Source("/catalog", loaded), nullptr, &schemas}}, {}, pool).findings) {
        if (!finding.where) continue;
        const auto [line, character] = lines.place(text, finding.where.offset, lsp::Encoding::utf8);
        all.emplace(finding.rule, finding.message, line, character);
    }
    return all;
}

// The language server looks at the documents of a file one by one: it does not see that a separator cuts a
// blob in two.
bool has_cut_blob(const Found& found) {
    return std::any_of(found.begin(), found.end(), [](const auto& finding) {
        return std::get<0>(finding) == "schema-missing" && std::get<1>(finding).ends_with(" in two");
    });
}

// Each byte that is not UTF-8 becomes a '?': a protocol of JSON has no others.
std::string as_utf8(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        if (length == 0)
            out += '?';
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<size_t>(length, 1));
    }
    return out;
}

size_t number_at(std::string_view text, size_t at) {
    return at + 1 < text.size()
               ? static_cast<unsigned char>(text[at]) * size_t{256} + static_cast<unsigned char>(text[at + 1])
               : 0;
}

void ask_at(const lsp::CatalogAnalysis& analysis, const std::string& text, size_t at,
            const lsp::FieldSchemas& schemas) {
    const lsp::CursorContext context = lsp::cursor_context(text, at);
    fuzz::require(context.begin <= context.end && context.end <= text.size(),
                  "what is replaced is in the text");
    (void)lsp::complete(lsp::DocumentKind::blob, context, schemas, &analysis);
    const lsp::Place place = lsp::LineIndex(text).place(text, at, lsp::Encoding::utf8);
    if (const auto mention = lsp::mention_at(analysis, path, place, lsp::Encoding::utf8))
        fuzz::require(!lsp::mentions_of(analysis, mention->thing).empty(), "what is mentioned has a mention");
    (void)lsp::symbols_of(analysis, path, lsp::Encoding::utf8);
}

} // namespace

FUZZ_TARGET(edits) {
    static ThreadPool pool(1);
    static const auto schemas = std::make_shared<const Schemas>();
    static const lsp::FieldSchemas fields(schemas);
    size_t end = std::min(input.find(mark), input.size());
    std::string text = as_utf8(input.substr(0, end));
    lsp::CatalogAnalysis analysis({Configuration(), schemas}, pool);
    analysis.open(path, text);
    analysis.update();
    for (size_t edits = 0; edits < 32 && end < input.size(); ++edits) {
        input.remove_prefix(end + mark.size());
        end = std::min(input.find(mark), input.size());
        const std::string_view edit = input.substr(0, end);
        const lsp::LineIndex lines(text);
        const auto place = [&](size_t number) {
            return lines.place(text, number % (text.size() + 1), lsp::Encoding::utf16);
        };
        lsp::Place from = place(number_at(edit, 0));
        lsp::Place to = place(number_at(edit, 2));
        if (to < from) std::swap(from, to);
        const std::string typed = as_utf8(edit.substr(std::min<size_t>(edit.size(), 4)));
        const size_t begin = lines.byte(text, from, lsp::Encoding::utf16);
        text.replace(begin, lines.byte(text, to, lsp::Encoding::utf16) - begin, typed);
        analysis.edit(path, {from, to}, typed, lsp::Encoding::utf16);
        analysis.update();
        fuzz::require(analysis.find(path)->text() == text, "the text is the same");
        const auto& pieces = analysis.find(path)->pieces();
        const bool stands_in = std::any_of(pieces.begin(), pieces.end(),
                                           [](const auto& piece) { return !piece->stands_for_itself(); });
        const Found expected = stands_in ? Found() : fresh(text, *schemas, pool);
        if (!stands_in && !has_cut_blob(expected))
            fuzz::require(found_by(analysis) == expected, "a fresh analysis finds the same");
        ask_at(analysis, text, std::min(begin + typed.size(), text.size()), fields);
    }
}
