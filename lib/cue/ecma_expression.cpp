#include "cue/json_schema.hpp"

namespace opcat::cue {
namespace {

// What ECMAScript takes behind a backslash, with the meaning of RE2.
constexpr std::string_view same_escapes = "dDwWsSbBfnrtv^$\\.*+?()[]{}|/";

bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Translation {
public:
    explicit Translation(std::string_view text) : text_(text) {}

    std::optional<std::string> run() {
        while (at_ < text_.size())
            if (!step()) return std::nullopt;
        return std::move(out_);
    }

private:
    bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }
    bool take(size_t count) {
        out_ += text_.substr(at_, count);
        at_ += count;
        return true;
    }
    bool replace(size_t count, std::string_view by) {
        out_ += by;
        at_ += count;
        return true;
    }

    bool step() {
        const char c = text_[at_];
        if (c == '\\') return escape();
        if (in_class_) {
            if (starts("[:")) return false;
            if (c == ']') in_class_ = false;
            return take(1);
        }
        if (starts("(?P<")) return replace(4, "(?<");
        if (starts("(?") && !starts("(?:")) return false;
        if (c == '[') {
            in_class_ = true;
            take(1);
            if (at_ < text_.size() && text_[at_] == '^') take(1);
            return !starts("]"); // which would be the first of the class
        }
        if (c == '{' && !is_repetition()) return replace(1, "\\{");
        if (c == '{') return take(text_.find('}', at_) - at_ + 1);
        if (c == '}' || c == ']') return replace(1, c == '}' ? "\\}" : "\\]");
        return take(1);
    }

    bool is_repetition() const {
        const std::string_view rest = text_.substr(at_ + 1);
        const size_t end = rest.find_first_not_of("0123456789,");
        return end != rest.npos && end > 0 && rest[0] != ',' && rest[end] == '}';
    }

    bool escape() {
        if (at_ + 1 >= text_.size()) return false;
        const char c = text_[at_ + 1];
        if (c == 'A' && !in_class_) return replace(2, "^");
        if (c == 'z' && !in_class_) return replace(2, "$");
        if (c == 'a') return replace(2, "\\x07");
        if (c == 'p' || c == 'P') {
            if (at_ + 2 >= text_.size()) return false;
            if (text_[at_ + 2] == '{') return take(2);
            const std::string class_name = std::string("\\") + c + "{" + text_[at_ + 2] + "}";
            return replace(3, class_name);
        }
        if (c == 'x') return starts("\\x{") ? replace(2, "\\u") : take(2);
        if (same_escapes.find(c) != same_escapes.npos) return take(2);
        if (is_letter_or_digit(c)) return false;
        if (c == '-' && in_class_) return take(2);
        ++at_;
        return take(1);
    }

    std::string_view text_;
    size_t at_ = 0;
    bool in_class_ = false;
    std::string out_;
};

} // namespace

std::optional<std::string> to_ecma_expression(std::string_view expression) {
    return Translation(expression).run();
}

} // namespace opcat::cue
