#include "opcat/edit/text_changes.hpp"

#include "opcat/base/file.hpp"
#include "opcat/base/text.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/source_lines.hpp"
#include "opcat/edit/text_style.hpp"

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

size_t TextChanges::end_of_scalar(size_t at) const {
    if (at < bytes_.size() && (bytes_[at] == '"' || bytes_[at] == '\'')) return end_of_quotes(bytes_, at);
    const SourceLine line = line_of(bytes_, at);
    std::string_view rest = line.text.substr(at - line.begin);
    rest = rest.substr(0, rest.find(" #"));
    return trimmed_end(bytes_, at, at + rest.size());
}

size_t TextChanges::end_of_flow(const Value& collection) const {
    size_t at = collection.offset() + 1;
    while ((at = end_of_part(bytes_, at)) < bytes_.size() && bytes_[at] == ',') ++at;
    return std::min(at + 1, bytes_.size());
}

size_t TextChanges::end_in_flow(const Value& value) const {
    return trimmed_end(bytes_, value.offset(), end_of_part(bytes_, value.offset()));
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
    for (const auto& [after, items] : change.inserted) insert_items(list, after, items);
    for (const size_t index : change.removed_items) {
        if (is_flow(list))
            remove_in_flow(list, index);
        else
            replace(begin_with_comments(dash_of(list, index)), end_of_item(list, index), "");
    }
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
    for (const auto& key : change.removed_members)
        for (size_t i = 0; i < object.members().size(); ++i)
            if (object.members()[i].key.string() == key) remove_member(object, i);
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
    const size_t line_end = std::min(line_of(bytes_, there->key.offset()).next(), bytes_.size());
    const size_t at = there->value.offset();
    if (is_scalar && there->value.is_string() && end <= line_end && at > there->key.offset()) {
        // The quotes that the author has chosen.
        if (bytes_[at] == '"' && value.is_string()) {
            text.clear();
            append_json_string(text, value.string());
        } else if (bytes_[at] == '\'' && text.front() != '\'' && text.front() != '"') {
            text = "'" + text + "'";
        }
        return replace(at, end_of_scalar(at), text);
    }
    const size_t colon =
        bytes_.find(':', end_of_scalar(there->key.offset()) > line_end ? there->key.offset()
                                                                       : there->key.offset() + key.size());
    const std::string_view comment = line_of(bytes_, colon).text;
    const size_t mark = comment.find(" #", colon - line_of(bytes_, colon).begin);
    if (is_blank_list(there->value) && mark != comment.npos)
        return replace(colon + 1, end,
                       (is_scalar ? separated : "") + std::string(comment.substr(mark)) +
                           (is_scalar ? "" : separated) + line_break_);
    replace(colon + 1, end, separated + line_break_);
}

void TextChanges::remove_member(const Value& object, size_t index) {
    if (is_flow(object)) return remove_in_flow(object, index);
    const auto members = object.members();
    const size_t key = members[index].key.offset();
    const SourceLine line = line_of(bytes_, key);
    // The first one after a dash: the next takes its place.
    if (line.begin + line.indent() != key && index + 1 < members.size())
        return replace(key, members[index + 1].key.offset(), "");
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
    const Value& neighbour =
        collection.is_array() ? collection.items()[*after] : collection.members()[*after].value;
    const size_t end = end_in_flow(neighbour);
    const size_t column = line_of(bytes_, collection.is_array() ? neighbour.offset()
                                                                : collection.members()[*after].key.offset())
                              .indent();
    const std::string separator = style.on_one_line ? ", " : "," + line_break_ + std::string(column, ' ');
    replace(end, end, separator + text);
}

std::optional<std::pair<size_t, size_t>> TextChanges::lines_of_item(const Value& item) const {
    const SourceLine first = line_of(bytes_, item.offset());
    if (!is_flow(item) || first.begin + first.indent() != item.offset()) return std::nullopt;
    const size_t end = end_of_flow(item);
    size_t after = bytes_.find_first_not_of(" \t", end);
    if (after < bytes_.size() && bytes_[after] == ',') after = bytes_.find_first_not_of(" \t\r", after + 1);
    if (after < bytes_.size() && bytes_[after] != '\n' && bytes_[after] != '\r' && bytes_[after] != '#')
        return std::nullopt;
    return std::pair(first.begin, std::min(line_of(bytes_, end).next(), bytes_.size()));
}

void TextChanges::remove_in_flow(const Value& collection, size_t index) {
    const size_t count = collection.is_array() ? collection.items().size() : collection.members().size();
    const auto begin_of = [&](size_t i) {
        return collection.is_array() ? collection.items()[i].offset() : collection.members()[i].key.offset();
    };
    const auto end_of = [&](size_t i) {
        return end_in_flow(collection.is_array() ? collection.items()[i] : collection.members()[i].value);
    };
    const auto own_lines =
        collection.is_array() && count > 1 ? lines_of_item(collection.items()[index]) : std::nullopt;
    if (own_lines) {
        replace(own_lines->first, own_lines->second, "");
        if (index + 1 < count) return;
        const size_t comma = end_of_part(bytes_, collection.items()[index - 1].offset());
        if (comma < own_lines->first) replace(comma, comma + 1, "");
    } else if (index + 1 < count)
        replace(begin_of(index), begin_of(index + 1), "");
    else if (index > 0)
        replace(end_of(index - 1), end_of(index), "");
    else
        replace(collection.offset() + 1, end_of_flow(collection) - 1, "");
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

void TextChanges::remove_document(size_t index) {
    const DocumentRange& range = ranges_[index];
    if (range.notation == Notation::json) {
        const size_t next = bytes_.find_first_not_of(blanks, range.end);
        return replace(range.begin, next == bytes_.npos ? bytes_.size() : next, "");
    }
    const std::string kept(comments_after(range));
    // The first document begins with its separator, the others after theirs.
    const size_t before = range.begin == 0 ? 0 : line_of(bytes_, range.begin - 1).begin;
    if (line_of(bytes_, before).is_separator()) return replace(before, range.end, kept);
    if (range.end >= bytes_.size()) return replace(range.begin, range.end, kept);
    // The first one needs no separator, and the next is the first now.
    replace(range.begin, std::min(line_of(bytes_, range.end).next(), bytes_.size()),
            kept.substr(std::min(kept.find('#'), kept.size())));
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
        if (begin < at) continue; // in what is removed
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
