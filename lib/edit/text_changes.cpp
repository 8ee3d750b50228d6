#include "opcat/edit/text_changes.hpp"

#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/edit/text_style.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace opcat::edit {
namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_blank_list(const Value& value) {
    return value.is_null() || (value.is_array() && value.items().empty());
}

// Without the blanks at its end.
size_t trimmed_end(std::string_view bytes, size_t begin, size_t end) {
    while (end > begin && blanks.find(bytes[end - 1]) != blanks.npos) --end;
    return end;
}

// The end of a text in quotes that begins at `at`.
size_t end_of_quotes(std::string_view bytes, size_t at) {
    const char quote = bytes[at];
    for (++at; at < bytes.size(); ++at) {
        if (quote == '"' && bytes[at] == '\\') {
            ++at;
        } else if (bytes[at] == quote) {
            if (quote == '"' || at + 1 == bytes.size() || bytes[at + 1] != quote) return at + 1;
            ++at;
        }
    }
    return bytes.size();
}

// The first place from `at` on, outside of quotes, comments and inner brackets, that is a comma or a closing
// bracket.
size_t end_of_part(std::string_view bytes, size_t at) {
    size_t depth = 0;
    for (; at < bytes.size(); ++at) {
        const char c = bytes[at];
        const bool begins =
            at == 0 || std::string_view(" \t\r\n,[{:").find(bytes[at - 1]) != std::string_view::npos;
        if (begins && (c == '"' || c == '\'')) {
            at = end_of_quotes(bytes, at) - 1;
        } else if (begins && c == '#') {
            at = std::min(bytes.find('\n', at), bytes.size());
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            if (depth == 0) return at;
            --depth;
        } else if (c == ',' && depth == 0) {
            return at;
        }
    }
    return bytes.size();
}

// The end of a plain text that begins at `at`, maybe over several lines: a comment ends it, and so does
// `limit`.
size_t end_of_plain(std::string_view bytes, size_t at, size_t limit) {
    const std::string_view text = bytes.substr(at, limit - at);
    size_t end = text.find('#');
    while (end != text.npos && end > 0 && blanks.find(text[end - 1]) == blanks.npos)
        end = text.find('#', end + 1);
    return trimmed_end(bytes, at, at + std::min(end, text.size()));
}

Value list_of(const std::vector<Value>& items) {
    return Value::of(std::span<const Value>(items));
}

} // namespace

TextChanges::TextChanges(const SourceFile& file, const std::vector<DocumentRange>& ranges)
    : file_(file), bytes_(file.bytes()), ranges_(ranges),
      line_break_(bytes_.substr(0, bytes_.find('\n')).ends_with('\r') ? "\r\n" : "\n") {}

// ---- places

bool TextChanges::is_flow(const Value& collection) const {
    const size_t at = collection.offset();
    return at < bytes_.size() && (bytes_[at] == '[' || bytes_[at] == '{');
}

size_t TextChanges::end_of_scalar(size_t at, size_t limit) const {
    if (at < bytes_.size() && (bytes_[at] == '"' || bytes_[at] == '\'')) return end_of_quotes(bytes_, at);
    return end_of_plain(bytes_, at, limit);
}

size_t TextChanges::end_of_flow(const Value& collection) const {
    size_t at = collection.offset() + 1;
    while ((at = end_of_part(bytes_, at)) < bytes_.size() && bytes_[at] == ',') ++at;
    return std::min(at + 1, bytes_.size());
}

size_t TextChanges::end_in_flow(const Value& value) const {
    const size_t at = value.offset();
    if (is_flow(value)) return end_of_flow(value);
    if (at < bytes_.size() && (bytes_[at] == '"' || bytes_[at] == '\'')) return end_of_quotes(bytes_, at);
    return end_of_plain(bytes_, at, end_of_part(bytes_, at));
}

size_t TextChanges::column_of(size_t at) const {
    return at - line_of(bytes_, at).begin;
}

size_t TextChanges::end_of_lines(size_t line, size_t column, bool with_items) const {
    size_t end = line_of(bytes_, line).next();
    for (size_t at = end; at < bytes_.size();) {
        const SourceLine next = line_of(bytes_, at);
        const bool is_blank = next.content().empty();
        if (next.is_separator() || next.text.starts_with("...")) break;
        const bool is_item = with_items && next.indent() == column && next.is_item();
        if (!is_blank && next.indent() <= column && !is_item) {
            // A comment may stand anywhere between the lines of a field; whose it is, the next line says.
            if (next.content().front() != '#') break;
            at = next.next();
            continue;
        }
        at = next.next();
        if (!is_blank) end = at;
    }
    return std::min(end, bytes_.size());
}

size_t TextChanges::dash_of(const Value& list, size_t index) const {
    const auto before = [&](size_t item) {
        const size_t dash = bytes_.find_last_of('-', item == 0 ? 0 : item - 1);
        return dash == bytes_.npos ? item : dash;
    };
    const size_t first = bytes_[list.offset()] == '-' ? list.offset() : before(list.items()[0].offset());
    if (index == 0) return first;
    const size_t column = column_of(first);
    for (SourceLine line = line_of(bytes_, list.items()[index].offset());;
         line = line_of(bytes_, line.begin - 1)) {
        if (line.text.size() > column && line.text[column] == '-' && line.indent() == column)
            return line.begin + column;
        if (line.begin <= first) return first;
    }
}

size_t TextChanges::end_of_item(const Value& list, size_t index) const {
    const size_t dash = dash_of(list, index);
    return end_of_lines(line_of(bytes_, dash).begin, column_of(dash), false);
}

// Comments that stand directly above an item, as deep as it, are about the item.
size_t TextChanges::begin_with_comments(size_t dash) const {
    SourceLine first = line_of(bytes_, dash);
    const size_t column = dash - first.begin;
    while (first.begin > 0) {
        const SourceLine above = line_of(bytes_, first.begin - 1);
        if (above.indent() != column || !above.content().starts_with('#')) break;
        first = above;
    }
    return first.begin;
}

size_t TextChanges::end_of_member(const Value& object, const Member& member) const {
    const size_t column = column_of(object.members().front().key.offset());
    const Value& value = member.value;
    const bool with_items = value.is_array() && !value.items().empty() && !is_flow(value) &&
                            column_of(dash_of(value, 0)) == column;
    return end_of_lines(line_of(bytes_, member.key.offset()).begin, column, with_items);
}

// ---- style

namespace {

// Counts the lists of objects in block style that are deeper than their keys, and those that are not.
template <class Column>
void count_lists(const Value& value, const Column& depth_of, std::array<size_t, 2>& counts, size_t limit) {
    if (counts[0] + counts[1] > limit) return;
    if (value.is_array())
        for (const Value& item : value.items()) count_lists(item, depth_of, counts, limit);
    if (!value.is_object()) return;
    for (const Member& member : value.members()) {
        if (const auto deeper = depth_of(value, member)) ++counts[*deeper ? 1 : 0];
        count_lists(member.value, depth_of, counts, limit);
    }
}

} // namespace

TextStyle TextChanges::block_style(const Value& near) const {
    TextStyle style{.line_break = line_break_};
    std::array<size_t, 2> counts{};
    const auto depth_of = [&](const Value& object, const Member& member) -> std::optional<bool> {
        const Value& list = member.value;
        if (!list.is_array() || list.items().empty() || is_flow(list) || is_flow(object)) return std::nullopt;
        return column_of(dash_of(list, 0)) > column_of(object.members().front().key.offset());
    };
    constexpr size_t enough = 64;
    count_lists(near, depth_of, counts, enough);
    style.lists_are_deeper = counts[1] > counts[0];
    return style;
}

TextStyle TextChanges::flow_style(const Value& collection) const {
    const auto range = std::ranges::find_if(ranges_, [&](const DocumentRange& one) {
        return one.begin <= collection.offset() && collection.offset() < one.end;
    });
    TextStyle style{.line_break = line_break_};
    style.is_json = range != ranges_.end() && range->notation == Notation::json;
    const std::string_view document =
        range == ranges_.end() ? bytes_ : bytes_.substr(range->begin, range->end - range->begin);
    const size_t at = collection.offset();
    const std::string_view text = bytes_.substr(at, end_of_flow(collection) - at);
    // An empty one is as the document is.
    style.on_one_line = (text.find_first_not_of(blanks, 1) + 1 == text.size() ? document : text).find('\n') ==
                        std::string_view::npos;
    if (const size_t line = document.find('\n'); line != document.npos) {
        const size_t first = document.find_first_not_of(" \r\n", line);
        style.step =
            first == document.npos ? 4 : std::max<size_t>(1, first - document.rfind('\n', first) - 1);
    }
    return style;
}

// ---- changes

void TextChanges::add(const CollectionChange& change) {
    if (change.before.is_array())
        change_list(change);
    else
        change_object(change);
}

void TextChanges::change_list(const CollectionChange& change) {
    const Value& list = change.before;
    for (const auto& [after, items] : change.inserted) {
        size_t place = after; // what goes takes its comma along
        while (is_flow(list) && place > 0 && change.removed_items.contains(place)) --place;
        insert_items(list, change.removed_items.contains(place) ? after : place, items);
    }
    if (is_flow(list) && !change.removed_items.empty()) return remove_in_flow(list, change.removed_items);
    for (const size_t index : change.removed_items)
        replace(begin_with_comments(dash_of(list, index)), end_of_item(list, index), "");
}

void TextChanges::change_object(const CollectionChange& change) {
    const Value& object = change.before;
    for (const auto& [key, value] : change.set) set_member(object, key, value);
    std::vector<std::pair<std::string, std::vector<Value>>> lists;
    for (const auto& [key, item] : change.appended) {
        const auto same = std::ranges::find(lists, key, [](const auto& one) { return one.first; });
        (same == lists.end() ? lists.emplace_back(key, std::vector<Value>()) : *same).second.push_back(item);
    }
    for (const auto& [key, items] : lists) set_member(object, key, list_of(items));
    std::set<size_t> removed;
    for (size_t i = 0; i < object.members().size(); ++i)
        if (change.removed_members.contains(object.members()[i].key.string())) removed.insert(i);
    if (is_flow(object) && !removed.empty()) return remove_in_flow(object, removed);
    for (const size_t i : removed) remove_member(object, i);
}

void TextChanges::set_member(const Value& object, const std::string& key, const Value& value) {
    const auto members = object.members();
    const auto there = std::ranges::find(members, key, [](const Member& one) { return one.key.string(); });
    const bool in_flow = members.empty() || is_flow(object);
    std::string text;
    if (in_flow) {
        const TextStyle style = flow_style(object);
        const size_t column = line_of(bytes_, object.offset()).indent();
        append_flow(text, value, column + (style.on_one_line ? 0 : style.step), style);
        if (there != members.end()) return replace(there->value.offset(), end_in_flow(there->value), text);
        std::string name;
        append_flow(name, Value::of(key), 0, style);
        return insert_in_flow(object, members.empty() ? std::nullopt : std::optional(members.size() - 1),
                              name + ": " + text);
    }
    const size_t column = column_of(members.front().key.offset());
    const bool is_scalar = !value.is_array() && !value.is_object();
    const TextStyle style = block_style(object);
    if (is_scalar) {
        text = block_scalar(value);
    } else {
        const size_t inner = column + (value.is_object() || style.lists_are_deeper ? style.step : 0);
        text = line_break_ + std::string(inner, ' ');
        append_block(text, value, inner, style);
    }
    const std::string separated = is_scalar ? " " + text : text;
    if (there == members.end())
        return insert_lines(end_of_member(object, members.back()),
                            std::string(column, ' ') + key + ":" + separated + line_break_);
    const size_t end = end_of_member(object, *there);
    const SourceLine line = line_of(bytes_, there->key.offset());
    const size_t line_end = std::min(line.next(), bytes_.size());
    const size_t colon = bytes_.find(':', there->key.offset() + key.size());
    // What follows the key on its line, and the comment there.
    const std::string_view rest = line.text.substr(std::min(colon + 1 - line.begin, line.text.size()));
    const size_t mark = rest.find(" #");
    const std::string_view first = rest.substr(0, std::min(mark, rest.size()));
    const size_t first_word = first.find_first_not_of(blanks);
    const bool is_on_next_lines =
        first_word == first.npos || first[first_word] == '|' || first[first_word] == '>';
    const Value& was = there->value;
    std::string_view comment = mark != rest.npos && (is_on_next_lines || is_blank_list(was))
                                   ? rest.substr(mark)
                                   : std::string_view();
    comment = comment.substr(0, trimmed_end(comment, 0, comment.size()));
    const size_t at = was.offset();
    const bool is_block_text = is_on_next_lines && first_word != first.npos;
    if (is_scalar && !was.is_array() && !was.is_object() && !was.is_null() && !is_block_text && at > colon) {
        // The quotes that the author has chosen.
        if (bytes_[at] == '"' && value.is_string()) {
            text.clear();
            append_json_string(text, value.string());
        } else if (bytes_[at] == '\'' && text.front() != '\'' && text.front() != '"') {
            text = "'" + text + "'";
        }
        if (at < line_end) return replace(at, end_of_scalar(at, end), text);
        return replace(colon + 1, end_of_scalar(at, end), fmt::format(" {}{}", text, comment));
    }
    if (is_scalar) return replace(colon + 1, end, separated + std::string(comment) + line_break_);
    replace(colon + 1, end, (is_blank_list(was) ? std::string(comment) : "") + separated + line_break_);
}

void TextChanges::remove_member(const Value& object, size_t index) {
    const auto members = object.members();
    const size_t key = members[index].key.offset();
    const SourceLine line = line_of(bytes_, key);
    // The first one after a dash: the next takes its place, with the comments above it.
    if (line.begin + line.indent() != key && index + 1 < members.size()) {
        const size_t next = members[index + 1].key.offset();
        const size_t comment = bytes_.find('#', end_of_member(object, members[index]));
        return replace(key, std::min(comment, next), "");
    }
    replace(line.begin, end_of_member(object, members[index]), "");
}

void TextChanges::insert_items(const Value& list, size_t after, const std::vector<Value>& items) {
    std::string text;
    if (is_flow(list)) {
        TextStyle style = flow_style(list);
        const Value& neighbour = list.items()[after];
        const size_t column = line_of(bytes_, neighbour.offset()).indent();
        TextStyle inner = style;
        if (neighbour.is_array() || neighbour.is_object())
            inner.on_one_line =
                bytes_.substr(neighbour.offset(), end_of_flow(neighbour) - neighbour.offset()).find('\n') ==
                std::string_view::npos;
        const std::string separator = style.on_one_line ? ", " : "," + line_break_ + std::string(column, ' ');
        for (const Value& item : items) {
            if (!text.empty()) text += separator;
            append_flow(text, item, column, inner);
        }
        return insert_in_flow(list, after, text);
    }
    const size_t column = column_of(dash_of(list, 0));
    const TextStyle style = block_style(list);
    for (const Value& item : items) {
        text += std::string(column, ' ') + "- ";
        append_block(text, item, column + 2, style);
        text += line_break_;
    }
    insert_lines(end_of_item(list, after), text);
}

void TextChanges::insert_in_flow(const Value& collection, std::optional<size_t> after,
                                 const std::string& text) {
    const TextStyle style = flow_style(collection);
    if (!after) {
        const size_t column = line_of(bytes_, collection.offset()).indent();
        const size_t begin = collection.offset() + 1;
        const auto line = [&](size_t indent) { return line_break_ + std::string(indent, ' '); };
        return replace(begin, end_of_flow(collection) - 1,
                       style.on_one_line ? text : line(column + style.step) + text + line(column));
    }
    const FlowPart neighbour = flow_part(collection, *after);
    const std::string indent(line_of(bytes_, neighbour.begin).indent(), ' ');
    const size_t comment = bytes_.find_first_not_of(" \t", neighbour.next);
    if (comment < bytes_.size() && bytes_[comment] == '#') { // about the neighbour
        const bool has_comma = neighbour.next > neighbour.comma;
        if (!has_comma) replace(neighbour.end, neighbour.end, ",");
        return insert_lines(std::min(line_of(bytes_, comment).next(), bytes_.size()),
                            indent + text + (has_comma ? "," : "") + line_break_);
    }
    replace(neighbour.end, neighbour.end, (style.on_one_line ? ", " : "," + line_break_ + indent) + text);
}

TextChanges::FlowPart TextChanges::flow_part(const Value& collection, size_t index) const {
    const Value& value =
        collection.is_array() ? collection.items()[index] : collection.members()[index].value;
    FlowPart part{};
    part.begin = collection.is_array() ? value.offset() : collection.members()[index].key.offset();
    part.end = end_in_flow(value);
    const size_t after = end_of_part(bytes_, part.end);
    const bool has_comma = after < bytes_.size() && bytes_[after] == ',';
    part.comma = has_comma ? after : part.end;
    part.next = has_comma ? after + 1 : part.end;
    const SourceLine first = line_of(bytes_, part.begin);
    const size_t rest = std::min(bytes_.find_first_not_of(" \t\r", part.next), bytes_.size());
    part.ends_line = rest == bytes_.size() || bytes_[rest] == '\n' || bytes_[rest] == '#';
    part.has_own_lines = part.ends_line && first.begin + first.indent() == part.begin;
    return part;
}

void TextChanges::remove_in_flow(const Value& collection, const std::set<size_t>& indices) {
    const size_t count = collection.is_array() ? collection.items().size() : collection.members().size();
    if (indices.size() == count) return replace(collection.offset() + 1, end_of_flow(collection) - 1, "");
    size_t left = count; // the items that stay, but for those that others follow
    while (indices.contains(left - 1)) --left;
    std::vector<FlowPart> parts; // those at the end that go
    parts.reserve(count - left);
    for (size_t i = left; i < count; ++i) parts.push_back(flow_part(collection, i));
    const auto end_of_line = [&](size_t at) { return std::min(line_of(bytes_, at).next(), bytes_.size()); };
    const auto remove_lines = [&](const FlowPart& part) {
        replace(line_of(bytes_, part.begin).begin, end_of_line(part.next), "");
    };
    for (const size_t index : indices) {
        if (index >= left) break;
        const FlowPart part = flow_part(collection, index);
        if (part.has_own_lines)
            remove_lines(part);
        else if (part.ends_line) // the comment behind it goes, the line break stays
            replace(trimmed_end(bytes_, 0, part.begin), trimmed_end(bytes_, 0, end_of_line(part.next)), "");
        else
            replace(part.begin, flow_part(collection, index + 1).begin, "");
    }
    if (parts.empty()) return;
    const FlowPart last_left = flow_part(collection, left - 1);
    const std::string_view between = bytes_.substr(last_left.end, parts.back().end - last_left.end);
    const bool own_lines = std::ranges::all_of(parts, &FlowPart::has_own_lines);
    if (!own_lines && between.find('#') == between.npos) return replace(last_left.end, parts.back().end, "");
    replace(last_left.comma, last_left.next, "");
    for (const FlowPart& part : parts) {
        if (part.has_own_lines)
            remove_lines(part);
        else
            replace(part.begin, part.next, "");
    }
}

// ---- documents

// Comments at the end of a document, after a blank line, are about what follows, or about the file.
std::string_view TextChanges::comments_after(const DocumentRange& document) const {
    const auto is_blank = [](const SourceLine& line) {
        return line.content().find_first_not_of('\r') == std::string_view::npos;
    };
    size_t begin = document.end; // of the lines at the end that say nothing
    while (begin > document.begin) {
        const SourceLine above = line_of(bytes_, begin - 1);
        if (above.begin < document.begin || !(is_blank(above) || above.text.starts_with('#'))) break;
        begin = above.begin;
    }
    for (size_t at = begin; at < document.end; at = line_of(bytes_, at).next())
        if (is_blank(line_of(bytes_, at))) {
            const size_t comment = bytes_.find('#', at);
            return comment < document.end ? bytes_.substr(at, document.end - at) : std::string_view();
        }
    return {};
}

size_t TextChanges::end_of_header(const DocumentRange& document) const {
    size_t end = document.begin;
    for (size_t at = document.begin; at < document.end; at = line_of(bytes_, at).next()) {
        const SourceLine line = line_of(bytes_, at);
        if (trimmed_end(line.text, 0, line.text.size()) == 0)
            end = line.next();
        else if (!line.content().starts_with('#') && !(at == document.begin && line.is_separator()))
            break;
    }
    const std::string_view header = bytes_.substr(document.begin, end - document.begin);
    return header.find('#') == header.npos ? document.begin : end;
}

void TextChanges::remove_documents(const std::set<size_t>& indices) {
    size_t at = 0;
    // The first ones need no separator if the file begins without one, or with what is about all of it.
    if (indices.contains(0) && ranges_.front().notation == Notation::yaml) {
        const size_t top = ranges_.front().begin;
        while (indices.contains(at) && ranges_[at].notation == Notation::yaml) ++at;
        const size_t end = ranges_[at - 1].end;
        std::string kept;
        for (size_t i = 0; i < at; ++i) kept += comments_after(ranges_[i]);
        const SourceLine first = line_of(bytes_, top);
        const size_t begin = std::max(end_of_header(ranges_.front()),
                                      first.is_separator() ? std::min(first.next(), bytes_.size()) : top);
        const bool keeps_separator = begin > top && (begin > first.next() || !kept.empty());
        if (end >= bytes_.size() || (first.is_separator() && !keeps_separator))
            replace(top, end, kept);
        else // the next is the first now
            replace(begin, std::min(line_of(bytes_, end).next(), bytes_.size()),
                    kept.substr(std::min(kept.find('#'), kept.size())));
    }
    for (const size_t index : indices)
        if (index >= at) remove_document(ranges_[index]);
}

void TextChanges::remove_document(const DocumentRange& range) {
    if (range.notation == Notation::json) {
        const size_t next = bytes_.find_first_not_of(blanks, range.end);
        return replace(range.begin, next == bytes_.npos ? bytes_.size() : next, "");
    }
    // All but the first begin after their separators.
    const size_t before = range.begin == 0 ? 0 : line_of(bytes_, range.begin - 1).begin;
    replace(line_of(bytes_, before).is_separator() ? before : range.begin, range.end,
            std::string(comments_after(range)));
}

void TextChanges::insert_document(size_t after, const std::string& text) {
    const DocumentRange& range = ranges_[after];
    const std::string lines = replace_all(text, "\n", line_break_);
    if (range.notation == Notation::yaml) return insert_lines(range.end, "---" + line_break_ + lines);
    const SourceLine line = line_of(bytes_, range.end);
    const bool ends_line =
        bytes_.substr(range.end, line.next() - range.end).find_first_not_of(blanks) == std::string_view::npos;
    insert_lines(ends_line ? std::min(line.next(), bytes_.size()) : range.end, lines);
}

// ---- text

void TextChanges::insert_lines(size_t at, std::string text) {
    if (at > 0 && bytes_[at - 1] != '\n') {
        // The last line of the file has no break, and gets none.
        text = line_break_ + text;
        if (at == bytes_.size()) text.resize(text.size() - line_break_.size());
    }
    replace(at, at, std::move(text));
}

void TextChanges::replace(size_t begin, size_t end, std::string text) {
    replacements_.emplace(begin, Replacement{end, std::move(text)});
}

std::shared_ptr<const SourceFile> TextChanges::apply() const {
    std::vector<std::string_view> parts;
    size_t at = 0;
    for (const auto& [begin, replacement] : replacements_) {
        if (begin < at) { // in what is removed, or it removes more
            if (replacement.text.empty()) at = std::max(at, replacement.end);
            continue;
        }
        parts.push_back(bytes_.substr(at, begin - at));
        parts.emplace_back(replacement.text);
        at = std::max(begin, replacement.end);
    }
    parts.push_back(bytes_.substr(at));
    size_t size = 0;
    for (const std::string_view part : parts) size += part.size();
    // For a large text the kernel needs longer to provide pages one by one than all else takes.
    FileMemory memory;
    std::shared_ptr<char[]> buffer = memory.take(size + SourceFile::padding);
    char* end = buffer.get();
    for (const std::string_view part : parts) end = std::copy(part.begin(), part.end(), end);
    std::fill_n(end, SourceFile::padding, '\0');
    return std::make_shared<const SourceFile>(file_.path(), std::move(buffer), size);
}

} // namespace opcat::edit
