#include "opcat/go/words.hpp"

#include "opcat/base/text.hpp"
#include "opcat/document/number.hpp"

#include <fmt/core.h>

#include <cctype>
#include <optional>
#include <utility>

namespace opcat::go {
namespace {

constexpr std::string_view unexpected_end = "unexpected end of JSON input";

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
// Follows encoding/json's scanner, which names the first byte that cannot be there and what it looked for.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::string run() {
        skip_space();
        // Values that are open: '{' or '['.
        std::string open;
        for (;;) {
            if (auto error = value(open)) return *error;
            if (after_value_) {
                if (auto error = close(open)) return *error;
                if (open.empty()) break;
            }
        }
        skip_space();
        if (!done()) return invalid("after top-level value");
        return {};
    }

private:
    bool done() const { return at_ >= text_.size(); }
    void skip_space() {
        while (!done() && is_space(text_[at_])) ++at_;
    }

    std::string invalid(std::string_view context) const {
        if (done()) return std::string(unexpected_end);
        const char c = text_[at_];
        std::string shown = c == '\'' ? R"('\'')" : c == '"' ? "'\"'" : std::string();
        if (shown.empty()) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte >= 0x20 && byte < 0x7F)
                shown = c == '\\' ? R"('\\')" : std::string("'") + c + '\'';
            else if (c == '\n')
                shown = R"('\n')";
            else if (c == '\r')
                shown = R"('\r')";
            else if (c == '\t')
                shown = R"('\t')";
            else if (byte < 0x80)
                shown = fmt::format("'\\x{:02x}'", byte);
            else {
                shown = "'";
                append_utf8(shown, byte); // Go takes the byte for a code point
                shown += '\'';
            }
        }
        return fmt::format("invalid character {} {}", shown, context);
    }

    // A scalar, or the opening of an object or a list together with an object's first key.
    std::optional<std::string> value(std::string& open) {
        after_value_ = true;
        skip_space();
        if (done()) return std::string(unexpected_end);
        switch (text_[at_]) {
        case '{':
            ++at_;
            open += '{';
            skip_space();
            if (!done() && text_[at_] == '}') return std::nullopt;
            after_value_ = false;
            return key("looking for beginning of object key string");
        case '[':
            ++at_;
            open += '[';
            skip_space();
            if (done()) return std::string(unexpected_end);
            after_value_ = text_[at_] == ']';
            return std::nullopt;
        case '"':
            return string();
        case 't':
            return word("true");
        case 'f':
            return word("false");
        case 'n':
            return word("null");
        default:
            return number();
        }
    }

    std::optional<std::string> key(std::string_view context) {
        skip_space();
        if (done() || text_[at_] != '"') return invalid(context);
        if (auto error = string()) return error;
        skip_space();
        if (done() || text_[at_] != ':') return invalid("after object key");
        ++at_;
        return std::nullopt;
    }

    // After a value: what ends here, and whether more follows.
    std::optional<std::string> close(std::string& open) {
        for (;;) {
            if (open.empty()) return std::nullopt;
            skip_space();
            if (done()) return std::string(unexpected_end);
            const bool object = open.back() == '{';
            const char c = text_[at_];
            if (c == (object ? '}' : ']')) {
                ++at_;
                open.pop_back();
                continue;
            }
            if (c != ',') return invalid(object ? "after object key:value pair" : "after array element");
            ++at_;
            return object ? key("looking for beginning of object key string") : std::nullopt;
        }
    }

    std::optional<std::string> string() {
        ++at_;
        for (;; ++at_) {
            if (done()) return std::string(unexpected_end);
            const char c = text_[at_];
            if (c == '"') {
                ++at_;
                return std::nullopt;
            }
            if (static_cast<unsigned char>(c) < 0x20) return invalid("in string literal");
            if (c != '\\') continue;
            ++at_;
            if (done()) return std::string(unexpected_end);
            if (text_[at_] == 'u') {
                for (int i = 0; i < 4; ++i) {
                    ++at_;
                    if (done() || !std::isxdigit(static_cast<unsigned char>(text_[at_])))
                        return invalid("in \\u hexadecimal character escape");
                }
            } else if (std::string_view("bfnrt\\/\"").find(text_[at_]) == std::string_view::npos) {
                return invalid("in string escape code");
            }
        }
    }

    std::optional<std::string> word(std::string_view wanted) {
        for (size_t i = 1; i < wanted.size(); ++i) {
            ++at_;
            if (done() || text_[at_] != wanted[i])
                return invalid(fmt::format("in literal {} (expecting '{}')", wanted, wanted[i]));
        }
        ++at_;
        return std::nullopt;
    }

    std::optional<std::string> number() {
        if (text_[at_] == '-') {
            ++at_;
            if (done() || !is_digit(text_[at_])) return invalid("in numeric literal");
        } else if (!is_digit(text_[at_])) {
            return invalid("looking for beginning of value");
        }
        if (text_[at_] == '0')
            ++at_;
        else
            digits();
        if (!done() && text_[at_] == '.') {
            ++at_;
            if (done() || !is_digit(text_[at_])) return invalid("after decimal point in numeric literal");
            digits();
        }
        if (!done() && (text_[at_] == 'e' || text_[at_] == 'E')) {
            ++at_;
            if (!done() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
            if (done() || !is_digit(text_[at_])) return invalid("in exponent of numeric literal");
            digits();
        }
        return std::nullopt;
    }
    void digits() {
        while (!done() && is_digit(text_[at_])) ++at_;
    }

    std::string_view text_;
    size_t at_ = 0;
    bool after_value_ = true;
};

// As %v has it, or as %t, which shows what is not a boolean together with its type.
void append(std::string& out, const Value& value, char verb) {
    const auto scalar = [&](std::string_view type, std::string_view text) {
        out += verb == 't' ? fmt::format("%!t({}={})", type, text) : std::string(text);
    };
    bool first = true;
    const auto separate = [&] {
        if (!std::exchange(first, false)) out += ' ';
    };
    switch (value.kind()) {
    case Value::Kind::null:
        out += "<nil>";
        break;
    case Value::Kind::boolean:
        out += value.boolean() ? "true" : "false";
        break;
    case Value::Kind::string:
        scalar("string", value.string());
        break;
    case Value::Kind::array:
        out += '[';
        for (const Value& item : value.items()) {
            separate();
            append(out, item, verb);
        }
        out += ']';
        break;
    case Value::Kind::object:
        out += "map[";
        for (const Member& member : value.members()) {
            separate();
            scalar("string", member.key.string());
            out += ':';
            append(out, member.value, verb);
        }
        out += ']';
        break;
    default: {
        std::string number;
        append_g_real(number, value.number());
        scalar("float64", number);
    }
    }
}

} // namespace

std::string_view json_kind(Value::Kind kind) {
    switch (kind) {
    case Value::Kind::boolean:
        return "bool";
    case Value::Kind::string:
        return "string";
    case Value::Kind::array:
        return "array";
    case Value::Kind::object:
        return "object";
    case Value::Kind::null:
        return "null";
    default:
        return "number";
    }
}

std::string json_syntax_error(std::string_view text) {
    return Scanner(text).run();
}

std::string mismatch(const Value& value, std::string_view go_struct, std::string_view path,
                     std::string_view go_type) {
    const std::string_view kind = json_kind(value.kind());
    if (path.empty()) return fmt::format("json: cannot unmarshal {} into Go value of type {}", kind, go_type);
    return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", kind, go_struct,
                       path, go_type);
}

std::string print_v(const Value& value) {
    std::string text;
    append(text, value, 'v');
    return text;
}

std::string print_t(const Value& value) {
    if (value.is_null()) return "%!t(<nil>)";
    std::string text;
    append(text, value, 't');
    return text;
}

} // namespace opcat::go
