// Finds where in a text a change of a value is written.
#pragma once

#include "opcat/edit/edited_text.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::edit {

struct TextStyle;

// Turns changes into pieces of text that replace others. That the result says what is meant is for the caller
// to look at: here the layout is what nearly all files have.
class TextChanges {
public:
    TextChanges(const SourceFile& file, const std::vector<DocumentRange>& ranges);

    void add(const CollectionChange& change);
    void remove_documents(const std::set<size_t>& indices);
    void insert_document(size_t after, const std::string& text);

    std::shared_ptr<const SourceFile> apply() const;

private:
    struct Replacement {
        size_t end;
        std::string text;
    };

    bool is_flow(const Value& collection) const;
    // `limit`: where a text without quotes ends at the latest.
    size_t end_of_scalar(size_t at, size_t limit) const;
    size_t end_of_flow(const Value& collection) const;
    size_t end_in_flow(const Value& value) const;
    // In block style.
    size_t column_of(size_t at) const;
    size_t end_of_lines(size_t line, size_t column, bool with_items) const;
    size_t dash_of(const Value& list, size_t index) const;
    size_t end_of_item(const Value& list, size_t index) const;
    size_t begin_with_comments(size_t dash) const;
    std::string_view comments_after(const DocumentRange& document) const;
    // Comments at the beginning of a file, before a blank line, are about the file. The beginning of the
    // document if there are none.
    size_t end_of_header(const DocumentRange& document) const;
    void remove_document(const DocumentRange& range);
    size_t end_of_member(const Value& object, const Member& member) const;

    TextStyle block_style(const Value& near) const;
    TextStyle flow_style(const Value& collection) const;

    void change_list(const CollectionChange& change);
    void change_object(const CollectionChange& change);
    void set_member(const Value& object, const std::string& key, const Value& value);
    void remove_member(const Value& object, size_t index);
    void insert_items(const Value& list, size_t after, const std::vector<Value>& items);
    void insert_in_flow(const Value& collection, std::optional<size_t> after, const std::string& text);
    // An item or a member in flow style.
    struct FlowPart {
        size_t begin;
        size_t end;         // of its value
        size_t comma;       // after it; `end` if there is none
        size_t next;        // after the comma
        bool ends_line;     // nothing but a comment follows it on its line
        bool has_own_lines; // and nothing comes before it
    };
    FlowPart flow_part(const Value& collection, size_t index) const;
    void remove_in_flow(const Value& collection, const std::set<size_t>& indices);
    void insert_lines(size_t at, std::string text);
    void replace(size_t begin, size_t end, std::string text);

    const SourceFile& file_;
    std::string_view bytes_;
    const std::vector<DocumentRange>& ranges_;
    std::string line_break_;
    std::multimap<size_t, Replacement> replacements_; // by their beginnings
};

} // namespace opcat::edit
