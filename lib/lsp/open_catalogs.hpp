// The catalogs that an editor has files of: which directories they are, their files on the disk, and what
// changes there.
#pragma once

#include "opcat/base/thread_pool.hpp"
#include "opcat/lsp/catalog_analysis.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::lsp {

// A catalog and where it is.
struct OpenCatalog {
    std::filesystem::path root;
    bool is_template =
        false; // `root` is the file of a template, which is in no other catalog while it is open
    // Not all that is in the directory: it is not a catalog's, and only what looks like one of its files
    // counts.
    bool only_lookalikes = false;
    std::unique_ptr<CatalogAnalysis> analysis;
    // Why a part of it could not be read the last time, in words. What was known of it stays.
    std::vector<std::string> problems;
    std::string settings_problem; // of its .opcat.yaml and schemas
    // Size and time of the files that were read, .opcat.yaml and schemas included, to see changes.
    std::map<std::string, std::pair<uint64_t, int64_t>> stamps;
};

class OpenCatalogs {
public:
    explicit OpenCatalogs(ThreadPool& pool) : pool_(pool) {}

    // Absolute paths; a catalog does not reach beyond these directories.
    void set_folders(std::vector<std::string> folders) { folders_ = std::move(folders); }
    // Directories that are catalogs because the user says so, absolute.
    void set_catalogs(std::vector<std::string> roots) { named_ = std::move(roots); }

    // A file that an editor opens. Nothing for one that is not of a catalog.
    CatalogAnalysis* open(const std::string& path, std::string_view text);
    // After an edit: if an open file has become a template, or is none any more, it belongs to another
    // catalog, which is returned; else nullptr.
    CatalogAnalysis* move_if_changed(const std::string& path);
    // From now on it is what the disk has.
    void close(const std::string& path);
    bool is_open(std::string_view path) const { return open_.contains(path); }

    // Reads what has changed on the disk.
    void look_for_changes();
    // Returns true if a part of a catalog could not be read: it may be possible the next time.
    bool is_incomplete() const;

    const std::vector<std::unique_ptr<OpenCatalog>>& catalogs() const { return catalogs_; }
    // Returns what could not be read since the last call, for the user.
    std::vector<std::string> take_problems() { return std::exchange(problems_, {}); }

private:
    OpenCatalog& load(const std::filesystem::path& file);
    struct Listing {
        std::vector<std::filesystem::path> files;
        std::vector<std::filesystem::path> unknown; // files and directories that could not be looked at
        std::vector<std::string> problems;          // why
    };
    static Listing listed(const OpenCatalog& catalog);
    void refresh(OpenCatalog& catalog);
    // Nothing if they cannot be read.
    std::optional<AnalysisSettings> read_settings(OpenCatalog& catalog);
    // Those that the user has not seen yet are for take_problems().
    void note_problems(OpenCatalog& catalog, std::vector<std::string> problems);
    OpenCatalog* find(std::string_view path) const;
    CatalogAnalysis& open_template(const std::string& path, std::string_view text);

    ThreadPool& pool_;
    std::vector<std::string> folders_;
    std::vector<std::string> named_;
    std::vector<std::unique_ptr<OpenCatalog>> catalogs_;
    std::set<std::string, std::less<>> open_;
    std::vector<std::string> problems_;
};

} // namespace opcat::lsp
