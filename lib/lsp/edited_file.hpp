// A catalog file that is edited: cut into pieces, one for each document, of which an edit replaces as few as
// possible.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/load.hpp"
#include "opcat/catalog/load_pieces.hpp"
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

// A document with the separator before it, or a whole file that is not cut. Its places are relative to its
// own beginning, so they stay valid if lines are added before it.
struct Piece {
    Piece(LoadedCatalog catalog, bool is_first);

    std::string_view bytes() const { return text->bytes(); }
    const LineIndex& lines() const;
    // Its blobs in the catalog: its own, or those of the pieces that replace it.
    bool stands_for_itself() const { return stand_ins.empty(); }

    LoadedCatalog loaded;
    const SourceFile* text; // in `loaded`
    bool begins_file;
    bool broken;             // loading it is an error
    uint32_t first_line = 0; // of the file, from 0
    // Its content when it last loaded, which others see while it is incomplete.
    std::vector<std::shared_ptr<const Piece>> stand_ins;

    // For CatalogAnalysis.
    BlobFindings own;
    std::map<std::string, PackageFindings, std::less<>> of_packages; // at places in it
    Diagnostics of_schema_names;
    struct About {
        std::string package;
        const Value* blob;
    };
    Diagnostics selected;                // what is reported
    std::vector<About> about;            // of each
    std::optional<Diagnostics> reported; // instead, where some are consequences or their causes

private:
    mutable std::optional<LineIndex> lines_;
};

using Pieces = std::vector<std::shared_ptr<Piece>>;

struct PieceChange {
    Pieces removed;
    Pieces added;
};

// A template is not cut: it is one document, and is a catalog of its own (template/template.hpp).
enum class Holds : uint8_t { catalog, one_template };

class EditedFile {
public:
    // `path` is the name in findings.
    EditedFile(std::string path, Holds holds) : path_(std::move(path)), holds_(holds) {}

    Holds holds() const { return holds_; }

    const std::string& path() const { return path_; }
    const Pieces& pieces() const { return pieces_; }
    size_t size() const;
    std::string text() const; // linear
    // Returns true if it is a stream of JSON values, in which all syntax errors after the first are
    // consequences.
    bool is_json() const;

    // The piece that contains a place, and the offset in it.
    struct PieceByte {
        size_t piece;
        size_t byte;
    };
    // There must be a piece.
    PieceByte find(Place place, Encoding encoding) const;

    // A file that is not open in an editor is one piece.
    PieceChange keep_whole(std::unique_ptr<SourceFile> file, ThreadPool& pool);
    // Cuts a new text; unchanged pieces at its beginning and end stay.
    PieceChange set_text(std::string_view text, ThreadPool& pool);
    // The time depends on the pieces that the range touches and one more, not on the file, except if it is
    // JSON or cannot be cut.
    PieceChange edit(const Range& range, std::string_view text, Encoding encoding, ThreadPool& pool);

private:
    struct Cut;

    // Nothing if documents depend on more than their own text. `text` is the beginning of the file, or begins
    // with a separator line.
    static std::optional<std::vector<Cut>> cut(const SourceFile& text, bool begins_file, bool ends_file);
    PieceChange replace(size_t begin, size_t end, std::vector<Cut> cuts, ThreadPool& pool);
    void count_lines(size_t from);

    std::vector<LoadedCatalog> load(std::vector<FilePiece> pieces, ThreadPool& pool) const;

    std::string path_;
    Holds holds_;
    Pieces pieces_;
    bool is_cut_ = false; // at separators, so that an edit only changes its surroundings
};

} // namespace opcat::lsp
