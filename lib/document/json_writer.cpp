#include "opcat/document/json_writer.hpp"

#include "opcat/document/number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <vector>

namespace opcat {
namespace {

// The number of bytes at the start that need no escapes. 0xe2 may begin U+2028 or U+2029, which are escaped.
size_t plain_prefix(std::string_view text) {
    constexpr uint64_t ones = 0x0101010101010101;
    constexpr uint64_t highs = 0x8080808080808080;
    const auto has = [](uint64_t word, unsigned char c) {
        const uint64_t x = word ^ (ones * c);
        return (x - ones) & ~x & highs;
    };
    const auto is_special = [](unsigned char c) { return c < 0x20 || c == '"' || c == '\\' || c == 0xe2; };
    size_t at = 0;
    while (at + 8 <= text.size()) {
        uint64_t word;
        std::memcpy(&word, text.data() + at, 8);
        const uint64_t below_space = (word - ones * 0x20) & ~word & highs;
        if ((below_space | has(word, '"') | has(word, '\\') | has(word, 0xe2)) != 0) break;
        at += 8;
    }
    while (at < text.size() && !is_special(static_cast<unsigned char>(text[at]))) ++at;
    return at;
}

template <typename Number>
void append_integer(std::string& out, Number number) {
    char text[24];
    out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

// An explicit stack of open collections, because nesting of 10,000 levels would overflow the program's.
class Writer {
public:
    Writer(std::string& out, bool indented) : out_(out), indented_(indented) {}

    void write(const Value& root) {
        begin(root);
        while (!open_.empty()) {
            Open& open = open_.back();
            if (open.next == open.size) {
                close(open.is_object ? '}' : ']');
                continue;
            }
            if (open.next > 0) out_ += ',';
            break_line();
            const size_t at = open.next++;
            if (!open.is_object) {
                begin(open.items[at]);
                continue;
            }
            const auto& [key, value] = open.members[at];
            append_json_string(out_, key.string());
            out_ += indented_ ? ": " : ":";
            begin(value);
        }
    }

private:
    struct Open {
        bool is_object;
        union {
            const Value* items;
            const Member* members;
        };
        size_t size;
        size_t next = 0;
    };

    // A scalar or an empty collection as a whole, only the opening bracket of others.
    void begin(const Value& value) {
        switch (value.kind()) {
        case Value::Kind::null:
            out_ += "null";
            break;
        case Value::Kind::boolean:
            out_ += value.boolean() ? "true" : "false";
            break;
        case Value::Kind::integer:
            append_integer(out_, value.integer());
            break;
        case Value::Kind::large_integer:
            append_integer(out_, value.large_integer());
            break;
        case Value::Kind::real:
            append_json_real(out_, value.real());
            break;
        case Value::Kind::string:
            if (value.is_json())
                write_json(value.string());
            else
                append_json_string(out_, value.string());
            break;
        case Value::Kind::array:
            if (value.items().empty())
                out_ += "[]";
            else
                open('[', {false, {.items = value.items().data()}, value.items().size()});
            break;
        case Value::Kind::object:
            if (value.members().empty())
                out_ += "{}";
            else
                open('{', {true, {.members = value.members().data()}, value.members().size()});
            break;
        }
    }

    // JSON text without its white space. It must be valid.
    void write_json(std::string_view text) {
        size_t depth = open_.size();
        bool is_open = false; // a collection, in which there is nothing yet
        for (size_t at = 0; at < text.size(); ++at) {
            const char c = text[at];
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
            const bool closes = c == '}' || c == ']';
            if (closes) --depth;
            if (is_open != closes) break_line(depth);
            is_open = c == '{' || c == '[';
            if (is_open) ++depth;
            const size_t begin = at;
            if (c == '"')
                while (text[++at] != '"') at += text[at] == '\\' ? 1 : 0;
            out_.append(text, begin, at + 1 - begin);
            if (c == ',') break_line(depth);
            if (c == ':' && indented_) out_ += ' ';
        }
    }

    void open(char bracket, const Open& collection) {
        out_ += bracket;
        open_.push_back(collection);
    }
    void close(char bracket) {
        open_.pop_back();
        break_line();
        out_ += bracket;
    }
    void break_line() { break_line(open_.size()); }
    void break_line(size_t depth) {
        if (!indented_) return;
        out_ += '\n';
        out_.append(depth * 4, ' ');
    }

    std::string& out_;
    bool indented_;
    std::vector<Open> open_;
};

} // namespace

void append_json(std::string& out, const Value& value) {
    Writer(out, true).write(value);
    out += '\n';
}

void append_compact_json(std::string& out, const Value& value) {
    Writer(out, false).write(value);
}

void escape_html_in_json(std::string& text, size_t begin) {
    constexpr std::string_view special = "<>&";
    const std::string_view plain = std::string_view(text).substr(begin);
    if (plain.find_first_of(special) == plain.npos) return;
    std::string escaped;
    escaped.reserve(plain.size() + plain.size() / 16);
    for (const char c : plain) {
        if (special.find(c) == special.npos)
            escaped += c;
        else
            fmt::format_to(std::back_inserter(escaped), "\\u{:04x}", c);
    }
    text.replace(begin, text.npos, escaped);
}

void append_html_safe_json(std::string& out, const Value& value) {
    const size_t begin = out.size();
    append_compact_json(out, value);
    escape_html_in_json(out, begin);
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (true) {
        const size_t plain = plain_prefix(text);
        out.append(text, 0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const char c = text[0];
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\b':
            out += "\\b";
            break;
        case '\f':
            out += "\\f";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default:
            if (text.starts_with("\xe2\x80\xa8") || text.starts_with("\xe2\x80\xa9")) {
                out += text[2] == '\xa8' ? "\\u2028" : "\\u2029";
                text.remove_prefix(2);
            } else if (static_cast<unsigned char>(c) < 0x20) {
                fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
            } else {
                out += c;
            }
        }
        text.remove_prefix(1);
    }
    out += '"';
}

} // namespace opcat
