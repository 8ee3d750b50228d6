#include "opcat/document/yaml_writer.hpp"

#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"
#include "opcat/document/json_writer.hpp"
#include "opcat/document/number.hpp"
#include "opcat/document/yaml_comments.hpp"
#include "opcat/document/yaml_scalar.hpp"
#include "opcat/document/yaml_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opcat {
namespace {

std::u32string code_points(std::string_view text) {
    std::u32string all;
    for (const std::string_view character : utf8_characters(text)) all += decode_utf8(character);
    return all;
}

// `Text` is a view of characters each of which is a code point.
template <typename Text>
bool less(Text a, Text b) {
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    const auto at = static_cast<size_t>(differ - a.begin());
    if (at == a.size() || at == b.size()) return a.size() < b.size();
    const char32_t x = a[at];
    const char32_t y = b[at];
    if (is_letter(x) && is_letter(y)) return x < y;
    if (is_letter(x) || is_letter(y)) return is_letter(y);
    uint64_t x_number = 0;
    uint64_t y_number = 0;
    if (x == '0' || y == '0') {
        // Zeros inside a number are digits of it, leading zeros are not.
        for (size_t i = at; i > 0 && is_decimal_digit(a[i - 1]); --i)
            if (a[i - 1] != '0') x_number = y_number = 1;
    }
    const auto read_number = [at](Text text, uint64_t& number) {
        size_t end = at;
        for (; end < text.size() && is_decimal_digit(text[end]); ++end)
            number = number * 10 + (static_cast<char32_t>(text[end]) - uint64_t{'0'});
        return end;
    };
    const size_t x_end = read_number(a, x_number);
    const size_t y_end = read_number(b, y_number);
    if (x_number != y_number) return static_cast<int64_t>(x_number) < static_cast<int64_t>(y_number);
    if (x_end != y_end) return x_end < y_end;
    return x < y;
}

} // namespace

// keyList.Less. Numbers overflow as they do there.
bool yaml_key_less(std::string_view a, std::string_view b) {
    if (is_ascii(a) && is_ascii(b)) return less(a, b);
    return less<std::u32string_view>(code_points(a), code_points(b));
}

namespace {

// libyaml's emitter.
class Emitter {
public:
    // `comments` may be null: then the text is as opm writes it.
    Emitter(std::string& out, const YamlCommentMap* comments) : out_(out), comments_(comments) {}

    const Value* write_document(const Value& root) {
        if (comments_ && !of(root).before.empty()) {
            write_lines(of(root).before, 0);
            break_line_to_indent();
        }
        begin(root, false);
        // An explicit stack of open collections, because nesting of 10,000 levels would overflow the
        // program's.
        while (!open_.empty()) {
            Open& open = open_.back();
            if (open.next == open.end) {
                if (comments_) write_lines(of(*open.owner).after, indent_ + (open.is_mapping ? 0 : step));
                indent_ = open.outer_indent;
                if (open.is_mapping) members_.resize(open.first);
                open_.pop_back();
            } else if (open.is_mapping) {
                const Member& member = *members_[open.next++];
                if (comments_) write_lines(of(member.value).before, indent_);
                write_key(member.key);
                begin(member.value, true);
            } else {
                const Value& item = open.items[open.next++];
                if (comments_) write_lines(of(item).before, indent_);
                break_line_to_indent();
                write_indicator("-", true, false, true);
                begin(item, false);
            }
        }
        break_line_to_indent();
        return unwritable_;
    }

private:
    static constexpr int step = 2;
    static constexpr int best_width = 80;

    struct Open {
        const Value* owner;
        bool is_mapping;
        const Value* items; // of a sequence; those of a mapping are in members_
        size_t first;
        size_t next;
        size_t end;
        int outer_indent;
    };

    // Writes a scalar or an empty collection, and opens any other. `in_mapping`: it is a value of a mapping.
    void begin(const Value& value, bool in_mapping) {
        if (comments_) beside_ = of(value).beside;
        switch (value.kind()) {
        case Value::Kind::object:
            open_mapping(value);
            break;
        case Value::Kind::array:
            open_sequence(value, in_mapping);
            break;
        case Value::Kind::string:
            if (comments_ && value.is_json())
                write_plain(value.string());
            else
                write_string(value, false);
            break;
        default:
            write_plain(plain_text(value));
        }
        write_beside();
    }

    const YamlComments& of(const Value& value) const {
        static const YamlComments no_comments;
        const auto found = comments_->find(&value);
        return found == comments_->end() ? no_comments : found->second;
    }

    // The comment on the line of the current node, unless a block of text has taken it.
    void write_beside() {
        if (beside_.empty()) return;
        put(" ");
        put(std::exchange(beside_, {}));
        whitespace_ = indention_ = false;
    }

    void write_lines(const std::vector<std::string_view>& comments, int indent) {
        const int outer = std::exchange(indent_, indent);
        for (const std::string_view comment : comments) {
            if (comment.empty()) {
                write_blank_line();
                continue;
            }
            break_line_to_indent();
            put(comment);
            whitespace_ = indention_ = false;
        }
        indent_ = outer;
    }

    // Writes nothing after a block of text that would take the line as its own.
    void write_blank_line() {
        if (ends_with_kept_breaks_) return;
        if (column_ > 0) put_break();
        put_break();
        whitespace_ = indention_ = true;
    }

    static std::string plain_text(const Value& value) {
        std::string text;
        switch (value.kind()) {
        case Value::Kind::null:
            text = "null";
            break;
        case Value::Kind::boolean:
            text = value.boolean() ? "true" : "false";
            break;
        case Value::Kind::real: {
            append_json_real(text, value.real());
            // It is read again as YAML: text that looks like an integer becomes one.
            const Value read = resolve_plain(text, 0);
            if (read.kind() != Value::Kind::real) return plain_text(read);
            text.clear();
            append_g_real(text, read.real());
            break;
        }
        default:
            append_compact_json(text, value);
        }
        return text;
    }

    void open_sequence(const Value& value, bool in_mapping) {
        if (value.items().empty()) {
            write_indicator("[", true, true, false);
            write_indicator("]", false, false, false);
            return;
        }
        open_.push_back({&value, false, value.items().data(), 0, 0, value.items().size(), indent_});
        increase_indent(in_mapping && !indention_);
    }

    void open_mapping(const Value& value) {
        if (value.members().empty()) {
            write_indicator("{", true, true, false);
            write_indicator("}", false, false, false);
            return;
        }
        const size_t first = members_.size();
        for (const Member& member : value.members()) members_.push_back(&member);
        if (!comments_)
            sort_by_yaml_key(std::span(members_).subspan(first),
                             [](const Member* member) { return member->key.string(); });
        open_.push_back({&value, true, nullptr, first, first, members_.size(), indent_});
        increase_indent(false);
    }

    void write_key(const Value& key) {
        if (!survives_json_text_as_key(key.string())) unwritable_ = &key;
        break_line_to_indent();
        constexpr size_t longest_simple_key = 128;
        if (key.string().size() <= longest_simple_key && !analyse_scalar(key.string()).multiline) {
            write_string(key, true);
            write_indicator(":", false, false, false);
        } else {
            write_indicator("?", true, false, true);
            write_string(key, false);
            break_line_to_indent();
            write_indicator(":", true, false, true);
        }
    }

    void write_string(const Value& value, bool as_simple_key) {
        std::string_view text = value.string();
        if (!survives_json_text(text)) unwritable_ = &value;
        std::string folded;
        if (!comments_ && has_next_lines(text)) text = folded = with_next_lines_folded(text);

        const int outer = indent_;
        increase_indent(false); // for what is written on lines of its own
        write_scalar(text, as_simple_key);
        indent_ = outer;
    }

    void write_scalar(std::string_view text, bool as_simple_key) {
        const ScalarAnalysis analysis = analyse_scalar(text);
        const bool is_merge = comments_ && as_simple_key && text == "<<"; // which opm does not put in quotes
        if (text.find('\n') != text.npos) {
            // Readers find documents by lines that end with LF: after a literal with another break at its end
            // they would miss "---".
            const bool hides_separator = comments_ && !text.ends_with('\n') && chomping(text) != "-";
            if (analysis.literal_allowed && !as_simple_key && !hides_separator)
                write_literal(text);
            else
                write_double_quoted(text, as_simple_key);
        } else if (is_merge || reads_as_something_else(text)) {
            write_double_quoted(text, as_simple_key);
        } else if (analysis.plain_allowed && !text.empty()) {
            write_plain(text, as_simple_key);
        } else if (analysis.single_quoted_allowed) {
            write_single_quoted(text, as_simple_key);
        } else {
            write_double_quoted(text, as_simple_key);
        }
    }

    void increase_indent(bool indentless) {
        if (indent_ < 0)
            indent_ = 0;
        else if (!indentless)
            indent_ += step;
    }

    void put(std::string_view text) {
        out_ += text;
        column_ += count_characters(text);
        ends_with_kept_breaks_ = false;
    }
    void put_break() {
        out_ += '\n';
        column_ = 0;
    }

    void break_line_to_indent() {
        const int indent = std::max(indent_, 0);
        if (!indention_ || column_ > indent || (column_ == indent && !whitespace_)) put_break();
        if (column_ < indent) {
            out_.append(static_cast<size_t>(indent - column_), ' ');
            column_ = indent;
        }
        whitespace_ = indention_ = true;
    }

    void write_indicator(std::string_view indicator, bool need_whitespace, bool is_whitespace,
                         bool is_indention) {
        if (need_whitespace && !whitespace_) put(" ");
        put(indicator);
        whitespace_ = is_whitespace;
        indention_ = indention_ && is_indention;
    }

    // A run of words: a blank beyond the width may become a line break, unless the text is a simple key.
    bool may_break(bool as_simple_key, bool after_space) const {
        return !as_simple_key && !after_space && column_ > best_width;
    }

    void write_plain(std::string_view text, bool as_simple_key = false) {
        if (!whitespace_) put(" ");
        bool spaces = false;
        for (size_t at = 0; at < text.size();) {
            const size_t word = std::min(text.find(' ', at), text.size());
            if (word > at) {
                put(text.substr(at, word - at));
                indention_ = spaces = false;
                at = word;
                continue;
            }
            if (may_break(as_simple_key, spaces) && text.substr(at + 1, 1) != " ")
                break_line_to_indent();
            else
                put(" ");
            spaces = true;
            ++at;
        }
        whitespace_ = indention_ = false;
    }

    void write_single_quoted(std::string_view text, bool as_simple_key) {
        write_indicator("'", true, false, false);
        bool spaces = false;
        bool breaks = false;
        for (size_t at = 0; at < text.size();) {
            const YamlCharacter character = yaml_character_at(text, at);
            const std::string_view c = text.substr(at, character.length);
            if (c == " ") {
                const bool inside = at > 0 && at + 1 < text.size();
                if (may_break(as_simple_key, spaces) && inside && text[at + 1] != ' ')
                    break_line_to_indent();
                else
                    put(c);
                spaces = true;
            } else if (character.is_break) {
                out_ += c;
                column_ = 0;
                indention_ = breaks = true;
            } else {
                if (breaks) break_line_to_indent();
                put(c == "'" ? "''" : c);
                indention_ = spaces = breaks = false;
            }
            at += character.length;
        }
        write_indicator("'", false, false, false);
        whitespace_ = indention_ = false;
    }

    void write_double_quoted(std::string_view text, bool as_simple_key) {
        write_indicator("\"", true, false, false);
        // yaml.v2 looks for one at the front of the text, independently of the character that it writes.
        const bool has_mark = text.starts_with("\xef\xbb\xbf");
        bool spaces = false;
        for (size_t at = 0; at < text.size();) {
            const YamlCharacter character = yaml_character_at(text, at);
            const std::string_view c = text.substr(at, character.length);
            const bool inside = at > 0 && at + 1 < text.size();
            if (has_mark || !character.printable || character.is_break || c == "\"" || c == "\\") {
                put(escape(c));
            } else if (c == " " && may_break(as_simple_key, spaces) && inside) {
                break_line_to_indent();
                if (text[at + 1] == ' ') put("\\");
            } else {
                put(c);
            }
            spaces = c == " ";
            at += character.length;
        }
        write_indicator("\"", false, false, false);
        whitespace_ = indention_ = false;
    }

    static std::string escape(std::string_view c) {
        const char32_t code = decode_utf8(c);
        switch (code) {
        case 0x00:
            return "\\0";
        case 0x07:
            return "\\a";
        case 0x08:
            return "\\b";
        case 0x09:
            return "\\t";
        case 0x0a:
            return "\\n";
        case 0x0b:
            return "\\v";
        case 0x0c:
            return "\\f";
        case 0x0d:
            return "\\r";
        case 0x1b:
            return "\\e";
        case '"':
            return "\\\"";
        case '\\':
            return "\\\\";
        case 0x85:
            return "\\N";
        case 0xa0:
            return "\\_";
        case 0x2028:
            return "\\L";
        case 0x2029:
            return "\\P";
        default:
            break;
        }
        const auto number = static_cast<uint32_t>(code);
        return number <= 0xff     ? fmt::format("\\x{:02X}", number)
               : number <= 0xffff ? fmt::format("\\u{:04X}", number)
                                  : fmt::format("\\U{:08X}", number);
    }

    void write_literal(std::string_view text) {
        write_indicator("|", true, false, false);
        if (text.front() == ' ' || yaml_character_at(text, 0).is_break) put(std::to_string(step));
        const bool keeps_breaks = chomping(text) == "+";
        put(chomping(text));
        write_beside();
        put_break();
        indention_ = whitespace_ = true;
        // All characters are printable, so that a break is LF, U+2028 or U+2029.
        bool breaks = true;
        while (!text.empty()) {
            const size_t line = run_without_breaks(text);
            if (line > 0) {
                if (breaks) break_line_to_indent();
                put(text.substr(0, line));
                indention_ = breaks = false;
                text.remove_prefix(line);
                continue;
            }
            const YamlCharacter character = yaml_character_at(text, 0);
            const std::string_view c = text.substr(0, character.length);
            if (!character.is_break && breaks) break_line_to_indent();
            put(c);
            if (character.is_break) column_ = 0;
            indention_ = breaks = character.is_break;
            text.remove_prefix(character.length);
        }
        ends_with_kept_breaks_ = keeps_breaks;
    }

    // The bytes up to an LF, or to 0xe2, with which U+2028 and U+2029 begin.
    static size_t run_without_breaks(std::string_view text) {
        const std::string_view line = text.substr(0, text.find('\n'));
        return std::min(line.find('\xe2'), line.size());
    }

    // "-": the last line has no break; "+": there is more than one; "": exactly one.
    static std::string_view chomping(std::string_view text) {
        const auto pop_break = [&text] {
            for (const std::string_view c : {"\n", "\xe2\x80\xa8", "\xe2\x80\xa9"}) {
                if (!text.ends_with(c)) continue;
                text.remove_suffix(c.size());
                return true;
            }
            return false;
        };
        if (!pop_break()) return "-";
        return text.empty() || pop_break() ? "+" : "";
    }

    std::string& out_;
    const YamlCommentMap* comments_;
    std::string_view beside_; // the comment for the end of the line
    int indent_ = -1;
    int column_ = 0;
    bool ends_with_kept_breaks_ = false; // of a block of text ("|+")
    bool whitespace_ = true;
    bool indention_ = true;
    const Value* unwritable_ = nullptr;
    std::vector<Open> open_;
    std::vector<const Member*> members_; // of all open mappings, those of the innermost at the end
};

} // namespace

const Value* append_yaml(std::string& out, const Value& value) {
    return Emitter(out, nullptr).write_document(value);
}

void append_commented_yaml(std::string& out, const Value& value, const YamlCommentMap& comments) {
    Emitter(out, &comments).write_document(value);
}

} // namespace opcat
