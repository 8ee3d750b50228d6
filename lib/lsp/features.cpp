#include "opcat/lsp/features.hpp"

#include "opcat/authoring/format.hpp"
#include "opcat/base/error.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/lsp/completion.hpp"
#include "opcat/lsp/cursor.hpp"
#include "opcat/lsp/hover.hpp"
#include "opcat/lsp/outline.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::lsp {

namespace {

// The kinds of the protocol.
constexpr int completion_kind_field = 5;
constexpr int completion_kind_value = 12;
constexpr int completion_kind_reference = 18;
constexpr int symbol_kind_package = 4;
constexpr int symbol_kind_class = 5;
constexpr int symbol_kind_interface = 11;
constexpr int symbol_kind_object = 19;

int symbol_kind(const std::optional<ThingKind>& kind) {
    if (!kind) return symbol_kind_object;
    return *kind == ThingKind::package   ? symbol_kind_package
           : *kind == ThingKind::channel ? symbol_kind_interface
                                         : symbol_kind_class;
}

Json symbol_json(const Symbol& symbol) {
    Json json{{"name", symbol.name},
              {"detail", symbol.detail},
              {"kind", symbol_kind(symbol.kind)},
              {"range", to_json(symbol.range)},
              {"selectionRange", to_json(symbol.selection)}};
    for (const Symbol& child : symbol.children) json["children"].push_back(symbol_json(child));
    return json;
}

} // namespace

// A place in the document that it is in.
struct Features::Spot {
    std::string_view document;
    size_t byte;         // in it
    uint32_t first_line; // of it in the file
    DocumentKind kind;
};

std::optional<Features::Spot> Features::spot(const TextView& view, Place place) const {
    std::string_view text = view.text;
    uint32_t first_line = 0;
    size_t byte = 0;
    if (view.analysis) {
        const EditedFile* const file = view.analysis->find(view.path);
        if (!file || file->pieces().empty()) return std::nullopt;
        const auto [index, at] = file->find(place, form_.encoding);
        const Piece& piece = *file->pieces()[index];
        text = piece.bytes();
        first_line = piece.first_line;
        byte = at;
    } else {
        byte = LineIndex(text).byte(text, place, form_.encoding);
    }
    // A file that is not cut may have several.
    const ByteRange range = document_of(text, byte);
    first_line += static_cast<uint32_t>(
        std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(range.begin), '\n'));
    const std::string_view document = text.substr(range.begin, range.end - range.begin);
    auto kind = document_kind(view.path, document);
    if (!kind && view.analysis) kind = DocumentKind::blob;
    if (!kind) return std::nullopt;
    return Spot{document, byte - range.begin, first_line, *kind};
}

Json Features::completion(const TextView& view, Place place) const {
    const auto where = spot(view, place);
    if (!where) return nullptr;
    const CursorContext context = cursor_context(where->document, where->byte);
    const LineIndex lines(where->document);
    Range range{lines.place(where->document, context.begin, form_.encoding),
                lines.place(where->document, context.end, form_.encoding)};
    range.begin.line += where->first_line;
    range.end.line += where->first_line;
    Json items = Json::array();
    for (const Completion& one :
         complete(where->kind, context, schemas_, view.analysis ? view.analysis : view.meant)) {
        Json item{{"label", one.label},
                  {"kind", one.kind == CompletionKind::field   ? completion_kind_field
                           : one.kind == CompletionKind::value ? completion_kind_value
                                                               : completion_kind_reference},
                  {"filterText", context.quote != 0 ? one.label : one.text.substr(0, one.text.find('\n'))},
                  // In this order.
                  {"sortText", fmt::format("{:05}", items.size())},
                  {"textEdit", {{"range", to_json(range)}, {"newText", one.text}}}};
        if (!one.detail.empty()) item["detail"] = one.detail;
        if (!one.documentation.empty()) item["documentation"] = one.documentation;
        items.push_back(std::move(item));
    }
    return {{"isIncomplete", false}, {"items", std::move(items)}};
}

std::optional<Mention> Features::mention(const TextView& view, Place place) const {
    return view.analysis ? mention_at(*view.analysis, view.path, place, form_.encoding) : std::nullopt;
}

Json Features::hover(const TextView& view, Place place) const {
    const auto where = spot(view, place);
    if (!where) return nullptr;
    std::string text;
    if (const auto named = mention(view, place)) text = describe(*view.analysis, named->thing);
    CursorContext context = cursor_context(where->document, where->byte);
    // On a key that has its value, the value is what matters.
    const SourceLine line = line_of(where->document, where->byte);
    std::string_view value = where->document.substr(context.begin, context.end - context.begin);
    if (context.is_key) {
        const size_t colon = where->document.find(':', context.begin);
        if (colon != where->document.npos && colon < line.begin + line.text.size() && !context.is_json) {
            const size_t begin = where->document.find_first_not_of(" \t", colon + 1);
            context = cursor_context(
                where->document,
                std::min({begin == where->document.npos ? colon + 1 : begin, line.begin + line.text.size()}));
            value = where->document.substr(context.begin, context.end - context.begin);
        }
        if (context.is_key) context.path.emplace_back(value);
    }
    const std::string field =
        describe_field(where->kind, context, value, schemas_, view.analysis ? view.analysis : view.meant);
    if (!field.empty()) text += (text.empty() ? "" : "\n\n---\n\n") + field;
    if (text.empty()) return nullptr;
    return {{"contents", {{"kind", "markdown"}, {"value", text}}}};
}

Json Features::locations(const TextView& view, const std::vector<Mention>& mentions) const {
    Json all = Json::array();
    for (const Mention& one : mentions)
        if (const auto place = view.analysis->place_of(one.where, form_.encoding))
            all.push_back({{"uri", form_.uri_of(place->path)}, {"range", to_json(place->range)}});
    return all;
}

Json Features::definition(const TextView& view, Place place) const {
    const auto named = mention(view, place);
    if (!named) return nullptr;
    std::vector<Mention> all = mentions_of(*view.analysis, named->thing);
    std::erase_if(all, [](const Mention& one) { return !one.defines; });
    return locations(view, all);
}

Json Features::references(const TextView& view, Place place, bool with_definitions) const {
    const auto named = mention(view, place);
    if (!named) return nullptr;
    std::vector<Mention> all = mentions_of(*view.analysis, named->thing);
    if (!with_definitions) std::erase_if(all, [](const Mention& one) { return one.defines; });
    return locations(view, all);
}

Json Features::highlights(const TextView& view, Place place) const {
    const auto named = mention(view, place);
    if (!named) return nullptr;
    Json all = Json::array();
    for (const Mention& one : mentions_of(*view.analysis, named->thing))
        if (const auto at = view.analysis->place_of(one.where, form_.encoding); at && at->path == view.path)
            all.push_back({{"range", to_json(at->range)}, {"kind", one.defines ? 3 : 2}});
    return all;
}

Json Features::prepare_rename(const TextView& view, Place place) const {
    const auto named = mention(view, place);
    if (!named || !named->is_plain) return nullptr;
    const auto at = view.analysis->place_of(named->where, form_.encoding);
    if (!at) return nullptr;
    return {{"range", to_json(at->range)}, {"placeholder", named->thing.own_name()}};
}

Json Features::workspace_edit(const CatalogAnalysis& analysis, const std::vector<TextEdit>& edits) const {
    Json changes = Json::object();
    for (const TextEdit& edit : edits) {
        const auto place = analysis.place_of(edit.where, form_.encoding);
        if (!place) throw RequestFailure(ErrorCode::request_failed, "the text has changed meanwhile");
        changes[form_.uri_of(place->path)].push_back(
            {{"range", to_json(place->range)}, {"newText", edit.text}});
    }
    return {{"changes", std::move(changes)}};
}

Json Features::rename(const TextView& view, Place place, const std::string& name) const {
    const auto named = mention(view, place);
    if (!named)
        throw RequestFailure(ErrorCode::request_failed,
                             "the cursor is not on a package, a channel or a bundle");
    try {
        return workspace_edit(*view.analysis, lsp::rename(*view.analysis, named->thing, name));
    } catch (const RequestError& error) {
        throw RequestFailure(ErrorCode::request_failed, error.what());
    }
}

Json Features::symbols(const TextView& view) const {
    Json all = Json::array();
    if (view.analysis)
        for (const Symbol& symbol : symbols_of(*view.analysis, view.path, form_.encoding))
            all.push_back(symbol_json(symbol));
    return all;
}

Json Features::folds(const TextView& view) const {
    constexpr size_t most = 20'000;
    const EditedFile* const file = view.analysis ? view.analysis->find(view.path) : nullptr;
    const std::string text = file ? file->text() : std::string(view.text);
    Json all = Json::array();
    for (const Fold& fold : folds_of(text, most))
        all.push_back({{"startLine", fold.first}, {"endLine", fold.last}});
    return all;
}

Json Features::formatting(const TextView& view) const {
    const EditedFile* const file = view.analysis ? view.analysis->find(view.path) : nullptr;
    if (!file) return nullptr;
    const std::string text = file->text();
    const FormattedText formatted = format_file(SourceFile(view.path, text));
    if (!formatted.problems.empty())
        throw RequestFailure(ErrorCode::request_failed,
                             "cannot format: " + formatted.problems.front().message);
    if (!formatted.changed) return Json::array();
    // Lines that are the same at the beginning and the end stay, with what an editor has at them.
    const std::string& now = formatted.text;
    size_t begin = static_cast<size_t>(std::mismatch(text.begin(), text.end(), now.begin(), now.end()).first -
                                       text.begin());
    begin = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
    size_t same = 0;
    while (same < std::min(text.size(), now.size()) - begin &&
           text[text.size() - 1 - same] == now[now.size() - 1 - same])
        ++same;
    while (same > 0 && text[text.size() - same - 1] != '\n') --same;
    const LineIndex lines(text);
    return Json::array({{{"range", to_json(Range{lines.place(text, begin, form_.encoding),
                                                 lines.place(text, text.size() - same, form_.encoding)})},
                         {"newText", now.substr(begin, now.size() - same - begin)}}});
}

Json Features::actions(const TextView& view, const Range& range, const std::vector<std::string>& only) const {
    Json all = Json::array();
    if (!view.analysis) return all;
    const auto wants = [&](std::string_view kind) {
        return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& one) {
                   return kind == one || (kind.starts_with(one) && kind.substr(one.size()).starts_with('.'));
               });
    };
    const auto add = [&](const Action& action, std::string_view kind) {
        if (action.edits.empty() || !wants(kind)) return;
        Json json{
            {"title", action.title}, {"kind", kind}, {"edit", workspace_edit(*view.analysis, action.edits)}};
        if (action.finding) {
            json["isPreferred"] = action.safe;
            json["diagnostics"] = Json::array();
            const PlaceOf place_of = [&](const Location& where) {
                return view.analysis->place_of(where, form_.encoding);
            };
            if (auto finding = to_json(*action.finding, place_of, form_))
                json["diagnostics"].push_back(*std::move(finding));
        }
        all.push_back(std::move(json));
    };
    for (const Action& action : fixes_at(*view.analysis, view.path, range, form_.encoding))
        add(action, "quickfix");
    for (const Action& action : changes_at(*view.analysis, view.path, range.begin, form_.encoding))
        add(action, "refactor.rewrite");
    if (wants("refactor.rewrite"))
        for (const Action& action : edits_at(*view.analysis, view.path, range.begin, form_.encoding))
            add(action, "refactor.rewrite");
    // Clients that do not say what they want have a menu, in which it would always be.
    if (!only.empty()) add(fix_all(*view.analysis, view.path), "source.fixAll.opcat");
    return all;
}

Json to_json(const std::vector<FoundSymbol>& symbols, const DiagnosticForm& form) {
    Json all = Json::array();
    for (const FoundSymbol& symbol : symbols) {
        const bool is_package = symbol.thing.kind == ThingKind::package;
        all.push_back({{"name", is_package ? symbol.thing.package : symbol.thing.name},
                       {"kind", symbol_kind(symbol.thing.kind)},
                       {"containerName", is_package ? std::string() : symbol.thing.package},
                       {"location",
                        {{"uri", form.uri_of(symbol.where.path)}, {"range", to_json(symbol.where.range)}}}});
    }
    return all;
}

} // namespace opcat::lsp
