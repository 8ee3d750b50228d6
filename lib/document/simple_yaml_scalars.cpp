#include "opcat/document/simple_yaml_scalars.hpp"

#include "opcat/document/yaml_scalar.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace opcat::simple_yaml {
namespace {

// A line break inside quotes: the blanks around it are removed. `at` is at the LF; returns where the text
// continues. The first `keep` bytes of the text do not end in blanks, or in escaped ones.
const char* fold_quoted(std::string& text, const char* at, const char* end, size_t keep) {
    while (text.size() > keep && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
    size_t blank_lines = 0;
    ++at;
    while (at < end) {
        const char* const line = at;
        while (at < end && (*at == ' ' || *at == '\t')) ++at;
        if (at < end && *at == '\n') {
            ++blank_lines;
            ++at;
            continue;
        }
        const std::string_view rest(line, static_cast<size_t>(end - line));
        if (rest.starts_with("...") || rest.starts_with("---")) throw NeedsFullParser();
        break;
    }
    if (at >= end) throw NeedsFullParser();
    fold(text, blank_lines);
    return at;
}

// The header after the '|': how the text ends (' ' by default), its indentation (0: not given), and where it
// begins.
struct LiteralHeader {
    char chomping = ' ';
    int indent = 0;
    const char* body = nullptr;
};

LiteralHeader read_header(const char* at, const char* end) {
    LiteralHeader header;
    for (int i = 0; i < 2 && at < end; ++i) {
        if ((*at == '-' || *at == '+') && header.chomping == ' ')
            header.chomping = *at++;
        else if (*at >= '1' && *at <= '9' && header.indent == 0)
            header.indent = *at++ - '0';
    }
    const char* const line_end = end_of_line(at, end);
    while (at < line_end && *at == ' ') ++at;
    if (at != line_end) throw NeedsFullParser();
    header.body = line_end < end ? line_end + 1 : end;
    return header;
}

// Returns the indentation of the first line that is not blank.
int detect_indent(const char* at, const char* end, int indent) {
    int most = 0; // of the blank lines before it
    while (at < end) {
        const char* const line = at;
        while (at < end && *at == ' ') ++at;
        const int spaces = static_cast<int>(at - line);
        if (at >= end || *at == '\n') {
            most = std::max(most, spaces);
            if (at < end) ++at;
            continue;
        }
        if (*at == '\t' || most > spaces) throw NeedsFullParser();
        if (spaces <= indent) return indent + 1; // there is no text
        return spaces;
    }
    if (most > indent) throw NeedsFullParser();
    return indent + 1;
}

} // namespace

const char* end_of_line(const char* at, const char* end) {
    if (at >= end) return end;
    const void* const found = std::memchr(at, '\n', static_cast<size_t>(end - at));
    return found ? static_cast<const char*>(found) : end;
}

void fold(std::string& text, size_t blank_lines) {
    if (blank_lines == 0)
        text += ' ';
    else
        text.append(blank_lines, '\n');
}

const char* read_single_quoted(std::string& text, const char* at, const char* end) {
    text.clear();
    while (true) {
        if (at >= end) throw NeedsFullParser();
        if (*at == '\'') {
            if (at + 1 >= end || at[1] != '\'') return at;
            text += '\'';
            at += 2;
        } else if (*at == '\n') {
            at = fold_quoted(text, at, end, 0);
        } else {
            text += *at++;
        }
    }
}

const char* read_double_quoted(std::string& text, const char* at, const char* end) {
    text.clear();
    size_t escaped_up_to = 0; // blanks before that are not folded away
    while (true) {
        const char* const begin = at;
        while (at < end && *at != '"' && *at != '\\' && *at != '\n') ++at;
        text.append(begin, at);
        if (at >= end) throw NeedsFullParser();
        if (*at == '"') return at;
        if (*at == '\\') {
            at = append_escaped(text, at, end);
            if (!at) throw NeedsFullParser();
            escaped_up_to = text.size();
        } else {
            at = fold_quoted(text, at, end, escaped_up_to);
        }
    }
}

const char* read_literal(std::string& text, const char* at, const char* end, int indent) {
    const LiteralHeader header = read_header(at + 1, end);
    at = header.body;
    const int text_indent = header.indent > 0 ? indent + header.indent : detect_indent(at, end, indent);
    text.clear();
    size_t pending_breaks = 0;
    while (at < end) {
        const char* const line = at;
        while (at < end && at - line < text_indent && *at == ' ') ++at;
        if (at < end && *at == '\n') {
            ++pending_breaks;
            ++at;
            continue;
        }
        if (at >= end) throw NeedsFullParser(); // blanks at the end of a file
        if (at - line < text_indent) {
            if (*at == '\t') throw NeedsFullParser();
            at = line;
            break;
        }
        text.append(pending_breaks, '\n');
        const char* const line_end = end_of_line(at, end);
        text.append(at, line_end);
        if (line_end >= end) throw NeedsFullParser(); // no line break at the end of a file
        pending_breaks = 1;
        at = line_end + 1;
    }
    if (header.chomping == '+')
        text.append(pending_breaks, '\n');
    else if (header.chomping == ' ' && pending_breaks > 0 && !text.empty())
        text += '\n';
    return at;
}

} // namespace opcat::simple_yaml
