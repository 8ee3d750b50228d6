// Changes of values in the text of one file: only the lines that a change means are written; comments, order,
// quotes, indentation, line ends and unknown keys stay byte for byte.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/catalog/load_pieces.hpp"
#include "opcat/document/stream.hpp"
#include "opcat/document/value.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat::edit {

// The change of one object or list. New values are not in the file.
struct CollectionChange {
    Value before;
    std::vector<std::pair<std::string, Value>> set;      // members that get a value, or are new
    std::vector<std::pair<std::string, Value>> appended; // to the list that is this member
    std::set<std::string, std::less<>> removed_members;
    std::map<size_t, std::vector<Value>> inserted; // after this item
    std::set<size_t> removed_items;
};

// A document that is not in the file yet.
struct NewDocument {
    std::string text; // as a writer makes it, with a line break at its end
    Value root;
};

// A text after its changes. A document without changes keeps its value, at its place in the file before: the
// EditedText must outlive it.
struct NewText {
    std::shared_ptr<const SourceFile> file; // that of before, if nothing changes
    std::vector<ParsedDocument> documents;
    Arena arena = {}; // of the changed ones
};

// A file of YAML or JSON as its documents, and what is to change in them. Values that callers name are those
// of `documents()`, in which changes do not show. New values may refer to `arena()`.
class EditedText {
public:
    // Throws Error for a file that cannot be read as documents.
    explicit EditedText(std::shared_ptr<const SourceFile> file);

    const SourceFile& file() const { return *file_; }
    const std::vector<Value>& documents() const { return roots_; }
    Notation notation_of(size_t document) const { return ranges_[document].notation; }
    Arena& arena() { return arena_; }

    // A new last item of the list that is a member of an object. A list that is missing, null or empty is
    // made.
    void append(const Value& object, std::string_view key, const Value& item);
    void insert_after(const Value& list, size_t index, const Value& item);
    void remove_item(const Value& list, size_t index);
    // Gives a member another value, or adds the member after the others.
    void set(const Value& object, std::string_view key, const Value& value);
    void remove(const Value& object, std::string_view key);
    // After another one; a separator is put before it in YAML.
    void insert_document(size_t after, NewDocument document);
    void remove_document(size_t index);

    bool is_changed() const;
    // The new text: it says what the changes mean, and all else as before. Throws Error for a text that
    // cannot be changed where it stands, such as that of an anchor: a program has to rewrite such a file; and
    // for a key that is given twice.
    // Linear; only changed documents are parsed.
    NewText after() const;

private:
    CollectionChange& change_of(const Value& collection);
    // A document as it is to be.
    struct Meant {
        std::optional<size_t> unchanged; // as this one is
        Value value;
    };
    std::vector<Meant> meant(Arena& arena) const;
    std::set<size_t> changed_documents() const;
    // Returns true if the text says that; its documents are then known.
    bool says(NewText& now, const std::vector<Meant>& wanted) const;
    Value meant(const Value& before, Arena& arena) const;

    // The offset of a collection, and its kind: a list may begin where its first item does.
    using Id = std::pair<uint32_t, Value::Kind>;
    // Throws Error for a collection that is to change and that an alias uses at another place of the
    // document.
    void require_no_aliases(const Value& value, std::set<Id>& met) const;

    std::shared_ptr<const SourceFile> file_;
    Arena arena_;
    std::vector<DocumentRange> ranges_;
    std::vector<Value> roots_;
    std::map<Id, CollectionChange> changes_;
    std::map<size_t, std::vector<NewDocument>> new_documents_; // after this one
    std::set<size_t> removed_documents_;
};

} // namespace opcat::edit
