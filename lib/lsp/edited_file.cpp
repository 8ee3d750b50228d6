#include "opcat/lsp/edited_file.hpp"

#include "opcat/document/source_lines.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/template/template.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <span>
#include <tuple>

namespace opcat::lsp {

Piece::Piece(LoadedCatalog catalog, bool is_first)
    : loaded(std::move(catalog)), text(loaded.catalog.storage.front()->files.front().get()),
      begins_file(is_first), broken(has_errors(loaded.diagnostics)) {}

const LineIndex& Piece::lines() const {
    if (!lines_) lines_.emplace(bytes());
    return *lines_;
}

struct EditedFile::Cut {
    std::string_view text;
    bool begins_file = false;
    std::vector<DocumentRange> documents = {}; // in `text`, as are the places of problems
    Diagnostics problems = {};

    bool is_piece(const Piece& piece) const {
        return piece.begins_file == begins_file && piece.bytes() == text;
    }
};

namespace {

// The comment that is for opcat and for what follows, at the end of a document: what follows is in the next.
bool ends_in_remark(std::string_view text) {
    const size_t remark = text.rfind("# opcat:");
    if (remark == text.npos) return false;
    for (SourceLine line = line_of(text, remark);; line = line_of(text, line.next())) {
        if (!line.says_nothing()) return false;
        if (line.next() >= text.size()) return true;
    }
}

// The next line, if there are only blanks from a byte to the end of its line.
std::optional<uint32_t> end_of_blank_line(std::string_view bytes, uint32_t at) {
    const size_t next = bytes.find_first_not_of(" \t\r", at);
    if (next == bytes.npos) return static_cast<uint32_t>(bytes.size());
    return bytes[next] == '\n' ? std::optional(static_cast<uint32_t>(next) + 1) : std::nullopt;
}

// Returns true if the documents of a file or of a part of it depend on nothing but their own text.
bool can_be_cut(const SourceFile& text, bool begins_file, const std::vector<DocumentRange>& documents,
                const Diagnostics& problems) {
    const std::string_view bytes = text.bytes();
    if (documents.empty() && begins_file) return false;
    // A binary file has one finding that says so.
    if (bytes.find('\0') != bytes.npos) return false;
    for (const Diagnostic& problem : problems)
        if (problem.rule == "limit") return false;
    if (!begins_file || !begins_as_json(text)) return true;
    if (!problems.empty()) return false;
    return std::all_of(documents.begin(), documents.end(), [&](const DocumentRange& document) {
        return document.notation == Notation::json && bytes[document.begin] == '{' &&
               end_of_blank_line(bytes, document.end);
    });
}

} // namespace

std::optional<std::vector<EditedFile::Cut>> EditedFile::cut(const SourceFile& text, bool begins_file,
                                                            bool ends_file) {
    Diagnostics problems;
    const std::vector<DocumentRange> documents =
        begins_file ? split_into_documents(text, problems) : split_after_separator(text, problems);
    if (!can_be_cut(text, begins_file, documents, problems)) return std::nullopt;
    const std::string_view bytes = text.bytes();
    std::vector<Cut> cuts;
    uint32_t begin = 0;
    const auto add = [&](uint32_t end, std::vector<DocumentRange> ranges) {
        Cut& piece = cuts.emplace_back();
        piece.text = bytes.substr(begin, end - begin);
        piece.begins_file = begins_file && begin == 0;
        piece.documents = std::move(ranges);
        for (const Diagnostic& problem : problems) {
            if (problem.where.offset < begin || problem.where.offset >= end) continue;
            piece.problems.push_back(problem);
            piece.problems.back().where.offset -= begin;
        }
        begin = end;
    };
    for (const DocumentRange& document : documents) {
        uint32_t end = document.end;
        // A piece begins with a line; of JSON the last one has the blank lines that may follow.
        if (document.notation == Notation::json) end = *end_of_blank_line(bytes, end);
        if (document.notation == Notation::json && &document == &documents.back())
            end = static_cast<uint32_t>(bytes.size());
        add(end, {{document.begin - begin, document.end - begin, document.notation}});
    }
    if (begin < bytes.size()) add(static_cast<uint32_t>(bytes.size()), {});
    for (size_t i = 0; i < cuts.size(); ++i)
        if ((i + 1 < cuts.size() || !ends_file) && ends_in_remark(cuts[i].text)) return std::nullopt;
    return cuts;
}

size_t EditedFile::size() const {
    size_t size = 0;
    for (const auto& piece : pieces_) size += piece->bytes().size();
    return size;
}

std::string EditedFile::text() const {
    std::string text;
    text.reserve(size());
    for (const auto& piece : pieces_) text += piece->bytes();
    return text;
}

bool EditedFile::is_json() const {
    return !pieces_.empty() && begins_as_json(*pieces_.front()->text);
}

EditedFile::PieceByte EditedFile::find(Place place, Encoding encoding) const {
    assert(!pieces_.empty());
    // Every piece begins with a line.
    const auto after =
        std::upper_bound(pieces_.begin(), pieces_.end(), place.line,
                         [](uint32_t line, const auto& piece) { return line < piece->first_line; });
    const auto i = static_cast<size_t>(after - pieces_.begin()) - 1;
    place.line -= pieces_[i]->first_line;
    return {i, pieces_[i]->lines().byte(pieces_[i]->bytes(), place, encoding)};
}

std::vector<LoadedCatalog> EditedFile::load(std::vector<FilePiece> pieces, ThreadPool& pool) const {
    std::vector<LoadedCatalog> all = load_pieces(std::move(pieces), pool);
    if (holds_ == Holds::one_template)
        for (LoadedCatalog& loaded : all)
            open_template(
                loaded, [](auto) { return std::nullopt; }, pool);
    return all;
}

PieceChange EditedFile::keep_whole(std::unique_ptr<SourceFile> file, ThreadPool& pool) {
    PieceChange change{std::move(pieces_), {}};
    FilePiece piece{std::move(file), {}, {}, true};
    piece.documents = split_into_documents(*piece.text, piece.problems);
    std::vector<FilePiece> all;
    all.push_back(std::move(piece));
    pieces_ = {std::make_shared<Piece>(std::move(load(std::move(all), pool).front()), true)};
    is_cut_ = false;
    change.added = pieces_;
    return change;
}

PieceChange EditedFile::set_text(std::string_view text, ThreadPool& pool) {
    auto file = std::make_unique<SourceFile>(path_, text);
    auto cuts = holds_ == Holds::catalog ? cut(*file, true, true) : std::nullopt;
    is_cut_ = cuts.has_value();
    if (is_cut_) return replace(0, pieces_.size(), *cuts, pool);
    Cut whole{file->bytes(), true};
    whole.documents = split_into_documents(*file, whole.problems);
    return replace(0, pieces_.size(), {std::move(whole)}, pool);
}

PieceChange EditedFile::edit(const Range& range, std::string_view text, Encoding encoding, ThreadPool& pool) {
    PieceByte from = find(range.begin, encoding);
    PieceByte to = find(range.end, encoding);
    if (std::tie(to.piece, to.byte) < std::tie(from.piece, from.byte)) std::swap(from, to);
    size_t begin = from.piece;
    size_t end = to.piece + 1;
    std::string changed(pieces_[from.piece]->bytes().substr(0, from.byte));
    changed += text;
    changed += pieces_[to.piece]->bytes().substr(to.byte);
    if (is_cut_ && !is_json()) {
        // The separator itself changes: what is before it may belong to the same document now.
        if (begin > 0 && from.byte <= line_of(pieces_[begin]->bytes(), 0).text.size()) {
            --begin;
            changed.insert(0, pieces_[begin]->bytes());
        }
        while (true) {
            const bool ends_file = end == pieces_.size();
            const SourceFile part(path_, changed);
            if (begin == 0 && begins_as_json(part)) break;
            const auto cuts = cut(part, begin == 0, ends_file);
            if (!cuts) break;
            // A separator ends a document only where there is one.
            const bool is_complete = ends_file || (!cuts->empty() && !cuts->back().documents.empty());
            if (is_complete) return replace(begin, end, *cuts, pool);
            changed += pieces_[end]->bytes();
            ++end;
        }
    }
    std::string all;
    all.reserve(size() + text.size());
    for (size_t i = 0; i < begin; ++i) all += pieces_[i]->bytes();
    all += changed;
    for (size_t i = end; i < pieces_.size(); ++i) all += pieces_[i]->bytes();
    return set_text(all, pool);
}

namespace {

// The names by which others know a blob.
using Identity = std::tuple<std::string_view, std::string_view, std::string_view>;

std::vector<Identity> identities_of(const Catalog& catalog) {
    std::vector<Identity> all;
    for (const Package& blob : catalog.packages) all.emplace_back(schema::package, blob.name, "");
    for (const Channel& blob : catalog.channels) all.emplace_back(schema::channel, blob.package, blob.name);
    for (const Bundle& blob : catalog.bundles) all.emplace_back(schema::bundle, blob.package, blob.name);
    for (const Deprecations& blob : catalog.deprecations)
        all.emplace_back(schema::deprecations, blob.package, "");
    for (const OtherBlob& blob : catalog.others) all.emplace_back(blob.schema, blob.package, blob.name);
    return all;
}

// Pieces that do not load keep the meaning of those that they replace, unless another piece has it now.
void let_stand_in(const Pieces& removed, const Pieces& added) {
    const auto broken =
        std::find_if(added.begin(), added.end(), [](const auto& piece) { return piece->broken; });
    if (broken == added.end()) return;
    std::vector<Identity> defined;
    for (const auto& piece : added)
        if (!piece->broken) {
            const auto some = identities_of(piece->loaded.catalog);
            defined.insert(defined.end(), some.begin(), some.end());
        }
    const auto add = [&](const std::shared_ptr<const Piece>& piece) {
        const auto some = identities_of(piece->loaded.catalog);
        if (!some.empty() && std::none_of(some.begin(), some.end(), [&](const Identity& one) {
                return std::find(defined.begin(), defined.end(), one) != defined.end();
            }))
            (*broken)->stand_ins.push_back(piece);
    };
    for (const auto& piece : removed) {
        if (!piece->broken) add(piece);
        for (const auto& stand_in : piece->stand_ins) add(stand_in);
    }
}

} // namespace

PieceChange EditedFile::replace(size_t begin, size_t end, std::vector<Cut> cuts, ThreadPool& pool) {
    // The pieces that stay.
    size_t first = 0;
    while (begin < end && first < cuts.size() && cuts[first].is_piece(*pieces_[begin])) {
        ++first;
        ++begin;
    }
    while (begin < end && first < cuts.size() && cuts.back().is_piece(*pieces_[end - 1])) {
        cuts.pop_back();
        --end;
    }
    std::vector<FilePiece> texts;
    for (Cut& cut : std::span(cuts).subspan(first)) {
        FilePiece& piece = texts.emplace_back();
        piece.text = std::make_unique<SourceFile>(path_, cut.text);
        piece.documents = std::move(cut.documents);
        piece.problems = std::move(cut.problems);
        for (Diagnostic& problem : piece.problems) problem.where.file = piece.text.get();
        piece.begins_file = cut.begins_file;
    }
    PieceChange change;
    std::vector<LoadedCatalog> loaded = load(std::move(texts), pool);
    for (size_t i = 0; i < loaded.size(); ++i)
        change.added.push_back(std::make_shared<Piece>(std::move(loaded[i]), cuts[first + i].begins_file));
    const auto at = [&](size_t i) { return pieces_.begin() + static_cast<ptrdiff_t>(i); };
    change.removed.assign(at(begin), at(end));
    let_stand_in(change.removed, change.added);
    const auto after = pieces_.erase(at(begin), at(end));
    pieces_.insert(after, change.added.begin(), change.added.end());
    count_lines(begin);
    return change;
}

void EditedFile::count_lines(size_t from) {
    for (size_t i = std::max<size_t>(from, 1); i < pieces_.size(); ++i)
        pieces_[i]->first_line = pieces_[i - 1]->first_line + pieces_[i - 1]->lines().line_breaks();
}

} // namespace opcat::lsp
