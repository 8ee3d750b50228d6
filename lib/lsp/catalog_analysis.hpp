// The findings of one catalog while its files change: the result of lint() (lint/lint.hpp), kept up to date
// by checking again only the parts that a change concerns.
// A document that does not load, because somebody is typing in it, keeps the content that last loaded: other
// blobs are checked against that, and for the document itself only the loading errors are reported.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/thread_pool.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/lint/configuration.hpp"
#include "opcat/lint/schemas.hpp"
#include "opcat/lsp/edited_file.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace opcat::lsp {

// The order in which a catalog's files are read (ignore/walk.hpp): by the names of directories and files.
struct WalkOrder {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const;
};

// The settings of a project.
struct AnalysisSettings {
    Configuration configuration;
    std::shared_ptr<const Schemas> schemas; // not null
};

// A place in a file as a client sees it.
struct FileRange {
    std::string path;
    Range range;
};

class CatalogAnalysis {
public:
    // The pool must outlive the object.
    CatalogAnalysis(AnalysisSettings settings, ThreadPool& pool, Holds holds = Holds::catalog)
        : settings_(std::move(settings)), pool_(pool), holds_(holds) {}

    // Checks everything again.
    void change_settings(AnalysisSettings settings);
    const AnalysisSettings& settings() const { return settings_; }
    ThreadPool& pool() const { return pool_; }

    // A new or changed file that is not open in an editor.
    void put(std::unique_ptr<SourceFile> file);
    // The same for many.
    void put(std::vector<std::unique_ptr<SourceFile>> files);
    // A file that is open in an editor from now on, with this text.
    void open(const std::string& path, std::string_view text);
    // A range that ends before it begins is reversed; places beyond the end are the end. The file must exist.
    void edit(const std::string& path, const Range& range, std::string_view text, Encoding encoding);
    void remove(std::string_view path);
    // Returns true if every file of the catalog can be read; else what the others may have is not missing.
    bool has_all_files() const { return has_all_files_; }
    void set_has_all_files(bool has_all) { has_all_files_ = has_all; }

    bool has(std::string_view path) const { return files_.contains(path); }
    const EditedFile* find(std::string_view path) const;
    const std::map<std::string, EditedFile, WalkOrder>& files() const { return files_; }

    // Checks what has changed. Returns the paths of files whose findings may be different or at other places,
    // removed files included. The time depends on the packages whose blobs have changed, and on the number of
    // blobs in the catalog, but not on their size.
    std::set<std::string> update();

    // The findings of update(), by place. They refer to the pieces of the file.
    std::vector<const Diagnostic*> findings(std::string_view path) const;
    // Nothing for places outside of files, or in the replacement of a document.
    std::optional<FileRange> place_of(const Location& where, Encoding encoding) const;

    // The current blobs of the catalog, as others see them.
    template <class Visit>
    void for_each_catalog(Visit visit) const {
        for (const auto& [path, file] : files_)
            for (const auto& piece : file.pieces()) {
                if (piece->stands_for_itself()) visit(piece->loaded.catalog);
                for (const auto& stand_in : piece->stand_ins) visit(stand_in->loaded.catalog);
            }
    }

private:
    struct Owner {
        std::shared_ptr<Piece> piece;
        const EditedFile* file;
    };

    EditedFile& file_at(const std::string& path);
    void take(const EditedFile& file, const PieceChange& change);
    // The schemas whose definitions must be checked.
    void note_packages(const Catalog& catalog);
    void note_packages(const Piece& piece);
    std::vector<PackageIndex> index_changed_packages() const;
    void check_packages();
    void check_names_of_schemas();
    // `before`: the piece with blobs before it in its file, if it matters.
    void select(Piece& piece, const Piece* before) const;
    void select_changed();
    // Finds consequences, as select_findings() does last: causes and consequences are in different pieces.
    void explain();

    AnalysisSettings settings_;
    ThreadPool& pool_;
    Holds holds_;
    std::map<std::string, EditedFile, WalkOrder> files_;
    std::unordered_map<const SourceFile*, Owner> owners_; // of the text of each piece

    Pieces new_pieces_;
    std::set<std::string, std::less<>> changed_packages_;
    std::set<std::string> changed_files_;
    std::unordered_set<const SourceFile*> changed_texts_; // of pieces whose findings must be selected again
    // The pieces that have findings of a package.
    std::unordered_map<std::string, std::vector<const SourceFile*>> texts_of_package_;
    std::vector<const SourceFile*> texts_with_schema_names_;
    bool names_changed_ = false;
    bool something_does_not_load_ = false;
    bool has_all_files_ = true;
};

} // namespace opcat::lsp
