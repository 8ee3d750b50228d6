// The files that an edit names, on the disk: found, opened, proved, and written all or none.
#pragma once

#include "opcat/base/file.hpp"
#include "opcat/edit/edit.hpp"
#include "opcat/edit/proof.hpp"
#include "opcat/template/kind.hpp"
#include "opcat/workspace/open.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::edit {

class EditedText;
struct NewText;
struct OtherFiles;

// A file before and after. The texts are those of the EditedFiles.
struct FileChange {
    std::string path;
    std::string_view before; // empty: it is new
    std::string_view after;
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
    // A file is a template, or of a catalog; files of one directory that are named are one catalog if they
    // share a package and none has an olm.package blob that another one has. The files of a directory are one
    // catalog, but for templates in it; of these only files are taken that have the package (all if it is
    // empty). Throws Error, RequestError.
    EditedFiles(const std::vector<EditedReference>& references, std::string_view package, ThreadPool& pool);
    ~EditedFiles();

    Edit& edit() { return edit_; }

    // The changes of all files that have some: the edit is complete. Throws Error as EditedText::after().
    const std::vector<FileChange>& changes();
    // For each catalog or template with changes, in their order. Of a file that is named by itself those next
    // to it with blobs of its packages are read as parts of its catalog.
    std::vector<Proof> prove(std::span<const RegressionKind> intended);
    // Throws Error if a file that changes is read-only: a dry run says so, too.
    void require_writable();
    // All files, or none: throws Error if one cannot be written, or has changed since it was read.
    void write();

private:
    void add_directory(const std::string& path, std::string_view package, bool may_lack_package);
    void add_file(const EditedReference& named);
    // Takes back what does not have the package, from `first` on.
    void drop_others(size_t first, std::string_view package);
    bool is_directory(const CatalogText& catalog) const;
    void join_files();

    // A file next to one that is edited.
    struct Neighbour {
        std::string path;
        std::string part; // the name below the directory that leads to it
        std::shared_ptr<const EditedText> text = {};
        std::string problem = {}; // why there is no text
    };
    const std::vector<Neighbour>& neighbours_in(const std::filesystem::path& directory);
    OtherFiles neighbours_of(const CatalogText& catalog);

    ThreadPool& pool_;
    FileMemory memory_;
    Edit edit_;
    std::vector<OtherFiles> others_;                                     // of directories
    std::map<std::filesystem::path, std::vector<Neighbour>> neighbours_; // by the directory
    std::vector<std::vector<NewText>> after_;                            // of each catalog of the edit
    std::optional<std::vector<FileChange>> changes_;
};

} // namespace opcat::edit
