// The files of a catalog, or a template, as blobs that can be changed: where each is, and how a file names
// it.
#pragma once

#include "opcat/edit/edited_text.hpp"
#include "opcat/template/template.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::edit {

// A blob: a document of a catalog, or an entry of a template.
struct BlobText {
    Value value;
    size_t index;    // of the document or the entry
    size_t file = 0; // of the catalog

    std::string_view schema() const { return text("schema"); }
    std::string_view name() const { return text("name"); }
    // The package that it belongs to, or is.
    std::string_view package() const;
    std::string_view text(std::string_view field) const;
    // The entries of a channel or of deprecations.
    std::span<const Value> entries() const;
};

// Returns the kind of template that a file is; nothing for a file of a catalog.
std::optional<TemplateKind> template_kind_of(const EditedText& text);

class CatalogText {
public:
    // `path`: the file or directory that messages name. A template is one file. `is_new`: what the texts say
    // was not there before. Throws RequestError for a file that says nothing, or is neither of a catalog nor
    // a template.
    CatalogText(std::string path, std::vector<EditedText> texts, bool is_new = false);

    const std::string& path() const { return path_; }
    bool is_new() const { return is_new_; }
    // Nothing: a catalog.
    std::optional<TemplateKind> template_kind() const { return kind_; }
    bool is_semver() const { return kind_ == TemplateKind::semver; }
    // Returns true if a bundle is its image and nothing else; catalogs and substitutes templates have whole
    // blobs.
    bool has_only_images() const { return kind_ && kind_ != TemplateKind::substitutes; }
    bool is_changed() const;

    std::vector<EditedText>& texts() { return texts_; }
    const std::vector<EditedText>& texts() const { return texts_; }
    // Returns the new text of each file. Throws as EditedText::after().
    std::vector<NewText> after() const;
    // Returns the text that a blob is in.
    EditedText& text(const BlobText& blob) { return texts_[blob.file]; }
    // For new values, in any of the files.
    Arena& arena() { return arena_; }

    // In their order; none of a semver template.
    std::vector<BlobText> all() const;
    // Those with a schema.
    std::vector<BlobText> blobs(std::string_view schema) const;
    std::optional<BlobText> find(std::string_view schema, std::string_view package,
                                 std::string_view name) const;
    std::vector<BlobText> channels(std::string_view package) const;
    // The packages that it has blobs of, each once.
    std::vector<std::string_view> packages() const;

    // A new blob, after the last one of its schema and package, else after the last of its package, else at
    // the end of the last file.
    void add(const Value& blob);
    void remove(const BlobText& blob);

    // All of a template.
    const Value& root() const;
    // For a semver template: returns the root's member for a kind of channels ("stable") as the file writes
    // it.
    const Member* archetype(std::string_view channel) const;

private:
    // For a template.
    const Value* list() const { return root().find("entries"); }

    std::string path_;
    std::vector<EditedText> texts_;
    Arena arena_;
    std::optional<TemplateKind> kind_;
    bool is_new_;
};

// The text of a new template or catalog with a package.
std::string new_file(std::optional<TemplateKind> kind, std::string_view package,
                     std::string_view default_channel);

// An object of members that have a value; empty texts are left out.
Value object_of(std::initializer_list<std::pair<std::string_view, Value>> members, Arena& arena);
Value texts_of(std::span<const std::string> texts, Arena& arena);
Value text_of(std::string_view text, Arena& arena);

// Files of a catalog that are read and not edited: those of a directory that do not have the package of the
// edit, and those next to a file that is named by itself. Their errors are those of the catalog.
struct OtherFiles {
    std::string path; // of the CatalogText
    std::vector<std::shared_ptr<const EditedText>> texts;
    std::string unreadable; // why one of them cannot be read; empty: all can
};

} // namespace opcat::edit
