// A file of a catalog while it is edited: cut into pieces, one for each document, of which an edit replaces
// as few as it can.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/lint/parts.hpp"
#include "opcat/lsp/positions.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

// A document with the separator before it, or a whole file where that is not cut. Places in it are counted
// from its own beginning: what is found in it stays true when lines are added before it.
struct Piece {
    Piece(LoadedCatalog catalog, bool is_first);

    std::string_view bytes() const { return text->bytes(); }
    const LineIndex& lines() const;
    // What the catalog has for it: its own blobs, or those of the pieces that replace it.
    bool stands_for_itself() const { return stand_ins.empty(); }

    LoadedCatalog loaded;
    const SourceFile* text; // in `loaded`
    bool begins_file;
    bool broken;             // loading it is an error
    uint32_t first_line = 0; // of the file, from 0
    // What it was when it last loaded: others see that while it is being typed.
    std::vector<std::shared_ptr<const Piece>> stand_ins;

    // For CatalogAnalysis.
    BlobFindings own;
    std::map<std::string, PackageFindings, std::less<>> of_packages; // that are at places in it
    Diagnostics of_schema_names;
    Diagnostics selected; // what is reported

private:
    mutable std::optional<LineIndex> lines_;
};

using Pieces = std::vector<std::shared_ptr<Piece>>;

struct PieceChange {
    Pieces removed;
    Pieces added;
};

class EditedFile {
public:
    // `path` is what findings show.
    explicit EditedFile(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    const Pieces& pieces() const { return pieces_; }
    size_t size() const;
    std::string text() const; // linear
    // Whether it is a stream of JSON values, in which all but the first syntax error are consequences.
    bool is_json() const;

    // The piece that a place is in, and the byte in it.
    struct PieceByte {
        size_t piece;
        size_t byte;
    };
    // There must be a piece.
    PieceByte find(Place place, Encoding encoding) const;

    // A file that nobody edits is one piece.
    PieceChange keep_whole(std::unique_ptr<SourceFile> file, ThreadPool& pool);
    // Cuts a new text; pieces that it begins or ends with as the old one did stay.
    PieceChange set_text(std::string_view text, ThreadPool& pool);
    // Takes time for the pieces that the range touches and one more, not for the file, except where that is
    // JSON or cannot be cut.
    PieceChange edit(const Range& range, std::string_view text, Encoding encoding, ThreadPool& pool);

private:
    struct Cut;

    // Nothing where documents depend on more than their own text. `text` begins the file, or follows a
    // separator that is its first line.
    static std::optional<std::vector<Cut>> cut(const SourceFile& text, bool begins_file, bool ends_file);
    PieceChange replace(size_t begin, size_t end, std::vector<Cut> cuts, ThreadPool& pool);
    void count_lines(size_t from);

    std::string path_;
    Pieces pieces_;
    bool is_cut_ = false; // at separators, so that an edit changes what is around it only
};

} // namespace opcat::lsp
