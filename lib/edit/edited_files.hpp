// The files that an edit names, on the disk: found, opened, proved, and written all or none.
#pragma once

#include "opcat/edit/edit.hpp"
#include "opcat/edit/proof.hpp"
#include "opcat/template/kind.hpp"
#include "opcat/workspace/open.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace opcat::edit {

class EditedText;

// A file before and after.
struct FileChange {
    std::string path;
    std::string before; // empty: it is new
    std::string after;
    bool is_new = false;
};

// All files of a catalog, of which the Edit has those that may change, or a template.
struct EditedPlace {
    std::string reference;
    std::vector<std::shared_ptr<const SourceFile>> files;
    bool is_new = false;
};

struct CreateOptions {
    std::optional<TemplateKind> kind; // nothing: a catalog
    std::string package;
    std::string default_channel;
};

// A file or a directory, and how the file is made if it is not there, or empty; nothing: that is an error.
struct EditedReference {
    std::string path;
    std::optional<CreateOptions> create = {};
    // Passed over if it does not have the package: nobody named it.
    bool if_it_has_package = false;
};

class EditedFiles {
public:
    // A file is a template, or a catalog by itself; the files of a directory are one catalog, but for
    // templates in it. Of a directory only files are taken that have the package (all if it is empty). Throws
    // Error, RequestError.
    EditedFiles(const std::vector<EditedReference>& references, std::string_view package, ThreadPool& pool);

    Edit& edit() { return edit_; }

    // The changes of all files that have some. Throws Error as EditedText::text().
    const std::vector<FileChange>& changes();
    // For each place with changes, in their order.
    std::vector<Proof> prove(std::span<const RegressionKind> intended);
    // All files, or none: throws Error if one cannot be written, or has changed since it was read.
    void write();

private:
    LoadedCatalog load(const EditedPlace& place, bool after);

    ThreadPool& pool_;
    void add_directory(const std::string& path, std::string_view package, bool may_lack_package);
    void add_file(const EditedReference& named);
    void add(EditedPlace place, std::vector<EditedText> texts);
    // Takes back the places from `first` on that do not have the package.
    void drop_others(size_t first, std::string_view package);

    std::vector<EditedPlace> places_; // of each catalog of the edit
    Edit edit_;
    std::optional<std::vector<FileChange>> changes_;
};

} // namespace opcat::edit
