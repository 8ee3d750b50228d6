#include "opcat/document/simple_yaml_reader.hpp"

#include "opcat/document/simple_yaml_scalars.hpp"
#include "opcat/document/value.hpp"
#include "opcat/document/yaml_scalar.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace opcat {
namespace {

using simple_yaml::NeedsFullParser;

constexpr size_t deepest = 200;      // levels; more deserve a reader that does not recurse
constexpr size_t longest_key = 1000; // bytes; YAML allows keys of 1024 characters

// Characters of keys that can be recognised at a glance.
constexpr std::array<bool, 256> key_characters = [] {
    std::array<bool, 256> table{};
    for (char c = '0'; c <= '9'; ++c) table[static_cast<unsigned char>(c)] = true;
    for (char c = 'a'; c <= 'z'; ++c) table[static_cast<unsigned char>(c)] = true;
    for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<unsigned char>(c)] = true;
    for (const char c : std::string_view("_-./$+")) table[static_cast<unsigned char>(c)] = true;
    return table;
}();

// Characters that can begin a plain scalar in this reader ('-' is handled separately).
constexpr std::array<bool, 256> plain_starts = [] {
    std::array<bool, 256> table{};
    for (size_t i = 0x21; i < 256; ++i) table[i] = true;
    for (const char c : std::string_view("-?:,[]{}#&*!|>'\"%@`\x7f"))
        table[static_cast<unsigned char>(c)] = false;
    return table;
}();

class SimpleYamlReader {
public:
    SimpleYamlReader(const SourceFile& file, uint32_t begin, uint32_t end, Arena& arena,
                     std::vector<uint32_t>* comments)
        : base_(file.bytes().data()), at_(base_ + begin), end_(base_ + end), builder_(arena),
          comments_(comments) {}

    Value read() {
        skip_first_separator();
        next_line(at_);
        if (done_ || indent_ != 0 || is_dash(at_)) throw NeedsFullParser();
        read_mapping(0);
        if (!done_) throw NeedsFullParser();
        return builder_.take_root();
    }

private:
    uint32_t offset(const char* at) const { return static_cast<uint32_t>(at - base_); }
    const char* end_of_line(const char* at) const { return simple_yaml::end_of_line(at, end_); }
    int column(const char* at) const { return static_cast<int>(at - line_); }
    void note_comment(const char* hash) const {
        if (comments_) comments_->push_back(offset(hash));
    }

    void skip_first_separator() {
        if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with("---")) return;
        at_ = after_line(at_ + 3); // "---word" begins a text
    }

    // Advances to the next line that is neither blank nor a comment; `at` is the beginning of a line.
    void next_line(const char* at) {
        while (at < end_) {
            const char* content = at;
            while (content < end_ && *content == ' ') ++content;
            if (content == end_) break;
            if (*content == '\n') {
                at = content + 1;
                continue;
            }
            if (*content == '#') {
                note_comment(content);
                at = end_of_line(content);
                if (at < end_) ++at;
                continue;
            }
            if (*content == '\t') throw NeedsFullParser();
            line_ = at;
            at_ = content;
            indent_ = static_cast<int>(content - at);
            // The end of a document, or a directive.
            if (indent_ == 0 &&
                (*content == '%' ||
                 std::string_view(content, static_cast<size_t>(end_ - content)).starts_with("...") ||
                 std::string_view(content, static_cast<size_t>(end_ - content)).starts_with("---")))
                throw NeedsFullParser();
            return;
        }
        done_ = true;
    }

    // The beginning of the next line; only a comment may be between `at` and its end.
    const char* after_line(const char* at) const {
        const char* const after = at;
        while (at < end_ && *at == ' ') ++at;
        if (at < end_ && *at == '#') {
            if (at == after) throw NeedsFullParser();
            note_comment(at);
            at = end_of_line(at);
        }
        if (at < end_ && *at != '\n') throw NeedsFullParser();
        return at < end_ ? at + 1 : end_;
    }
    void end_line(const char* at) { next_line(after_line(at)); }

    bool ends_word(const char* at) const { return at >= end_ || *at == ' ' || *at == '\n'; }
    bool is_dash(const char* at) const { return *at == '-' && ends_word(at + 1); }

    // The place of the ':' of a key at `at`; nullptr if there is no simple key.
    const char* end_of_key(const char* at) const {
        const char* const begin = at;
        while (at < end_ && key_characters[static_cast<unsigned char>(*at)]) ++at;
        const bool found = at > begin && at < end_ && *at == ':' && ends_word(at + 1);
        return found ? at : nullptr;
    }

    void read_mapping(int indent) {
        if (builder_.depth() >= deepest) throw NeedsFullParser();
        builder_.open(offset(at_));
        while (true) {
            const char* const colon = end_of_key(at_);
            if (!colon || *at_ == '-' || static_cast<size_t>(colon - at_) > longest_key)
                throw NeedsFullParser();
            const Value key = resolve_plain({at_, static_cast<size_t>(colon - at_)}, offset(at_));
            if (!key.is_string()) throw NeedsFullParser();
            builder_.add(key);
            read_value(colon + 1, indent, false);
            if (done_ || indent_ < indent) break;
            if (indent_ > indent) throw NeedsFullParser();
        }
        builder_.add(builder_.close_object());
    }

    void read_sequence(int indent) {
        if (builder_.depth() >= deepest) throw NeedsFullParser();
        builder_.open(offset(at_));
        while (true) {
            read_value(at_ + 1, indent, true);
            if (done_ || indent_ < indent) break;
            if (indent_ > indent) throw NeedsFullParser();
            if (!is_dash(at_)) break; // a list level with the keys of its mapping has ended
        }
        builder_.add(builder_.close_array());
    }

    // The content after a ':' or '-' in a collection of that indentation, up to the next line after it.
    void read_value(const char* at, int indent, bool in_sequence) {
        const char* const after = at;
        while (at < end_ && *at == ' ') ++at;
        if (at >= end_ || *at == '\n' || *at == '#') {
            end_line(after);
            if (!done_ && indent_ > indent) {
                if (is_dash(at_))
                    read_sequence(indent_);
                else
                    read_mapping(indent_);
            } else if (!done_ && !in_sequence && indent_ == indent && is_dash(at_)) {
                read_sequence(indent);
            } else {
                builder_.add(Value::of_null(offset(after)));
            }
            return;
        }
        switch (*at) {
        case '"':
            read_double_quoted(at);
            return;
        case '\'':
            read_single_quoted(at);
            return;
        case '|':
            read_literal(at, indent);
            return;
        case '[':
        case '{':
            read_empty_collection(at);
            return;
        default:
            break;
        }
        if (in_sequence) {
            if (is_dash(at)) {
                at_ = at;
                indent_ = column(at);
                read_sequence(indent_);
                return;
            }
            if (*at != '-' && end_of_key(at)) {
                at_ = at;
                indent_ = column(at);
                read_mapping(indent_);
                return;
            }
        }
        read_plain(at, indent);
    }

    void read_empty_collection(const char* at) {
        const bool array = *at == '[';
        if (at + 1 >= end_ || at[1] != (array ? ']' : '}')) throw NeedsFullParser();
        builder_.add(array ? Value::of(std::span<const Value>(), offset(at))
                           : Value::of(std::span<const Member>(), offset(at)));
        end_line(at + 2);
    }

    // The end of a plain scalar's text on its line; a comment may follow.
    const char* end_of_plain(const char* at, const char* line_end) const {
        const std::string_view line(at, static_cast<size_t>(line_end - at));
        const auto find = [&](const char* from, char c) {
            const size_t found = line.find(c, static_cast<size_t>(from - at));
            return found == line.npos ? line_end : at + found;
        };
        // A ':' that ends a word would make it a key, which is not allowed here.
        for (const char* colon = find(at, ':'); colon < line_end; colon = find(colon + 1, ':'))
            if (ends_word(colon + 1)) throw NeedsFullParser();
        if (find(at, '\t') < line_end) throw NeedsFullParser();
        const char* end = line_end;
        for (const char* hash = find(at, '#'); hash < line_end; hash = find(hash + 1, '#'))
            if (hash[-1] == ' ') {
                end = hash;
                break;
            }
        while (end > at && end[-1] == ' ') --end;
        return end;
    }

    // Between the end of a plain scalar and that of its line there can only be a comment.
    bool note_comment_between(const char* end, const char* line_end) const {
        const size_t hash = std::string_view(end, static_cast<size_t>(line_end - end)).find('#');
        if (hash != std::string_view::npos) note_comment(end + hash);
        return hash != std::string_view::npos;
    }

    void read_plain(const char* at, int indent) {
        const bool begins =
            plain_starts[static_cast<unsigned char>(*at)] || (*at == '-' && !ends_word(at + 1));
        if (!begins) throw NeedsFullParser();
        const char* line_end = end_of_line(at);
        const char* end = end_of_plain(at, line_end);
        const uint32_t start = offset(at);
        const std::string_view first(at, static_cast<size_t>(end - at));
        const bool comment = note_comment_between(end, line_end);
        const char* const second_line = line_end < end_ ? line_end + 1 : end_;
        const char* const after_blanks = skip_blank_lines(second_line);
        if (!is_deeper(after_blanks, indent)) {
            const Value value = resolve_plain(first, start);
            if (value.kind() == Value::Kind::real && !std::isfinite(value.real())) throw NeedsFullParser();
            builder_.add(value);
            next_line(second_line);
            return;
        }
        if (comment) throw NeedsFullParser();
        read_plain_lines(first, second_line, after_blanks, indent, start);
    }

    // After blank lines; a line of blanks and a comment is not blank.
    const char* skip_blank_lines(const char* at) const {
        while (at < end_) {
            const char* content = at;
            while (content < end_ && *content == ' ') ++content;
            if (content < end_ && *content == '\t') throw NeedsFullParser();
            if (content < end_ && *content != '\n') return at;
            at = content < end_ ? content + 1 : end_;
        }
        return at;
    }

    // Returns true if the line at `at` has content, and more indentation than `indent`.
    bool is_deeper(const char* at, int indent) const {
        int spaces = 0;
        while (at < end_ && *at == ' ') {
            ++at;
            ++spaces;
        }
        return at < end_ && *at != '\n' && *at != '#' && spaces > indent;
    }

    void read_plain_lines(std::string_view first, const char* next, const char* content_line, int indent,
                          uint32_t start) {
        std::string& text = scratch_;
        text.assign(first);
        while (is_deeper(content_line, indent)) {
            simple_yaml::fold(text, static_cast<size_t>(count_lines(next, content_line)));
            const char* at = content_line;
            while (*at == ' ') ++at;
            const char* const line_end = end_of_line(at);
            const char* const end = end_of_plain(at, line_end);
            text.append(at, end);
            next = line_end < end_ ? line_end + 1 : end_;
            content_line = skip_blank_lines(next);
            const bool comment = note_comment_between(end, line_end);
            if (comment && is_deeper(content_line, indent)) throw NeedsFullParser();
        }
        // A text of several lines is always a string; otherwise this would have to check.
        const Value value = resolve_plain(text, start);
        if (!value.is_string()) throw NeedsFullParser();
        builder_.add(Value::of(builder_.arena().copy(text), start));
        next_line(next);
    }

    static ptrdiff_t count_lines(const char* begin, const char* end) {
        ptrdiff_t lines = 0;
        for (const char* at = begin; at < end; ++at) lines += *at == '\n';
        return lines;
    }

    void read_single_quoted(const char* at) {
        const uint32_t start = offset(at);
        const char* const begin = at + 1;
        const char* const line_end = end_of_line(begin);
        const void* const quote = std::memchr(begin, '\'', static_cast<size_t>(line_end - begin));
        if (quote && static_cast<const char*>(quote)[1] != '\'') {
            const char* const end = static_cast<const char*>(quote);
            builder_.add(Value::of(std::string_view(begin, static_cast<size_t>(end - begin)), start));
            end_line(end + 1);
            return;
        }
        at = simple_yaml::read_single_quoted(scratch_, begin, end_);
        builder_.add(Value::of(builder_.arena().copy(scratch_), start));
        end_line(at + 1);
    }

    void read_double_quoted(const char* at) {
        const uint32_t start = offset(at);
        const char* const begin = at + 1;
        const char* stop = begin;
        while (stop < end_ && *stop != '"' && *stop != '\\' && *stop != '\n') ++stop;
        if (stop < end_ && *stop == '"') {
            builder_.add(Value::of(std::string_view(begin, static_cast<size_t>(stop - begin)), start));
            end_line(stop + 1);
            return;
        }
        at = simple_yaml::read_double_quoted(scratch_, begin, end_);
        builder_.add(Value::of(builder_.arena().copy(scratch_), start));
        end_line(at + 1);
    }

    void read_literal(const char* at, int indent) {
        const char* const after = simple_yaml::read_literal(scratch_, at, end_, indent);
        builder_.add(Value::of(builder_.arena().copy(scratch_), offset(at)));
        next_line(after);
    }

    const char* const base_;
    const char* at_; // the first character of the current line that is not a blank
    const char* line_ = nullptr;
    int indent_ = 0; // of the current line
    bool done_ = false;
    const char* const end_;
    ValueBuilder builder_;
    std::vector<uint32_t>* const comments_;
    std::string scratch_;
};

} // namespace

std::optional<Value> read_simple_yaml(const SourceFile& file, uint32_t begin, uint32_t end, Arena& arena,
                                      std::vector<uint32_t>* comments) {
    if (end - begin > Value::max_size) return std::nullopt; // a text in it may be longer than a Value can be
    if (!has_simple_characters(file.bytes().substr(begin, end - begin))) return std::nullopt;
    try {
        return SimpleYamlReader(file, begin, end, arena, comments).read();
    } catch (const NeedsFullParser&) {
        return std::nullopt;
    }
}

} // namespace opcat
