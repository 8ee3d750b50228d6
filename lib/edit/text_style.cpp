#include "opcat/edit/text_style.hpp"

#include "opcat/document/json_writer.hpp"
#include "opcat/document/yaml_scalar.hpp"
#include "opcat/document/yaml_text.hpp"

namespace opcat::edit {
namespace {

std::string in_single_quotes(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c;
        if (c == '\'') quoted += c;
    }
    return quoted + '\'';
}

std::string scalar(const Value& value, bool in_brackets) {
    std::string text;
    if (!value.is_string() || value.is_json()) {
        append_compact_json(text, value);
        return text;
    }
    const std::string_view string = value.string();
    const ScalarAnalysis analysis = analyse_scalar(string);
    const bool is_delimited = in_brackets && string.find_first_of(",[]{}") != string.npos;
    if (analysis.plain_allowed && !analysis.multiline && !is_delimited && !reads_as_something_else(string))
        return std::string(string);
    if (analysis.single_quoted_allowed && !analysis.multiline) return in_single_quotes(string);
    append_json_string(text, string);
    return text;
}

std::string key_text(std::string_view key, bool in_brackets) {
    return scalar(Value::of(key), in_brackets);
}

bool is_empty_or_scalar(const Value& value) {
    return value.is_array() ? value.items().empty() : !value.is_object() || value.members().empty();
}

std::string new_line(size_t column, const TextStyle& style) {
    return style.line_break + std::string(column, ' ');
}

} // namespace

std::string block_scalar(const Value& value) {
    return scalar(value, false);
}

void append_block(std::string& out, const Value& value, size_t column, const TextStyle& style) {
    if (is_empty_or_scalar(value)) {
        out += value.is_array() ? "[]" : value.is_object() ? "{}" : scalar(value, false);
        return;
    }
    if (value.is_array()) {
        for (size_t i = 0; i < value.items().size(); ++i) {
            if (i > 0) out += new_line(column, style);
            out += "- ";
            append_block(out, value.items()[i], column + 2, style);
        }
        return;
    }
    for (size_t i = 0; i < value.members().size(); ++i) {
        const Member& member = value.members()[i];
        if (i > 0) out += new_line(column, style);
        out += key_text(member.key.string(), false) + ":";
        if (is_empty_or_scalar(member.value)) {
            out += ' ';
            append_block(out, member.value, column, style);
            continue;
        }
        const size_t inner =
            member.value.is_object() || style.lists_are_deeper ? column + style.step : column;
        out += new_line(inner, style);
        append_block(out, member.value, inner, style);
    }
}

void append_flow(std::string& out, const Value& value, size_t column, const TextStyle& style) {
    const auto text_of = [&](const Value& one) {
        std::string text;
        if (style.is_json)
            append_compact_json(text, one);
        else
            text = scalar(one, true);
        return text;
    };
    if (is_empty_or_scalar(value)) {
        out += value.is_array() ? "[]" : value.is_object() ? "{}" : text_of(value);
        return;
    }
    const size_t inner = column + style.step;
    const std::string separator = style.on_one_line ? ", " : "," + new_line(inner, style);
    out += value.is_array() ? '[' : '{';
    if (!style.on_one_line) out += new_line(inner, style);
    const size_t count = value.is_array() ? value.items().size() : value.members().size();
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) out += separator;
        if (value.is_object()) out += text_of(value.members()[i].key) + ": ";
        append_flow(out, value.is_array() ? value.items()[i] : value.members()[i].value, inner, style);
    }
    if (!style.on_one_line) out += new_line(column, style);
    out += value.is_array() ? ']' : '}';
}

} // namespace opcat::edit
