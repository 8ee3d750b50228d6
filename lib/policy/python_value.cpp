#include "opcat/policy/python_value.hpp"

#include "opcat/base/error.hpp"
#include "opcat/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace opcat::policy {
namespace {

// The longest text that is printed: aliases let a small file stand for a huge value.
constexpr size_t longest_text = size_t{1} << 16;
constexpr size_t most_comparisons = 10'000'000;

std::string float_repr(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::array<char, 64> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
    const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
    const size_t e = text.find('e');
    int exponent = 0;
    std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);
    std::string digits(text.substr(0, e));
    const std::string sign = digits[0] == '-' ? "-" : "";
    std::erase_if(digits, [](char c) { return c == '-' || c == '.'; });
    if (exponent < -4 || exponent >= 16)
        return fmt::format("{}{}{}{}e{}{:02}", sign, digits.substr(0, 1), digits.size() > 1 ? "." : "",
                           digits.substr(1), exponent < 0 ? '-' : '+', std::abs(exponent));
    if (exponent < 0) return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
    return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

void append_repr(std::string& out, const PythonValue& value) {
    if (out.size() > longest_text) return;
    if (const auto* const list = value.list()) {
        out += '[';
        for (size_t i = 0; i < list->size() && out.size() <= longest_text; ++i) {
            if (i > 0) out += ", ";
            append_repr(out, (*list)[i]);
        }
        out += ']';
    } else if (const auto* const dict = value.dict()) {
        out += '{';
        bool first = true;
        for (const auto& [key, item] : *dict) {
            if (out.size() > longest_text) break;
            if (!first) out += ", ";
            first = false;
            append_repr(out, key);
            out += ": ";
            append_repr(out, item);
        }
        out += '}';
    } else if (const auto* const text = value.text()) {
        out += python_repr(*text);
    } else if (const auto* const date = value.date()) {
        out += date->code;
    } else {
        out += value.str();
    }
}

// A number as Python compares it with another: True is 1, and 1 is 1.0.
std::optional<double> number_of(const PythonValue& value) {
    if (const bool* const truth = value.boolean()) return *truth ? 1 : 0;
    if (const auto* const whole = std::get_if<int64_t>(&value.content())) return static_cast<double>(*whole);
    if (const auto* const real = std::get_if<double>(&value.content())) return *real;
    return std::nullopt;
}

bool equal(const PythonValue& a, const PythonValue& b, size_t& left) {
    if (left-- == 0) throw Error("cannot compare the values of a YAML file: there are too many");
    if (const auto x = number_of(a)) {
        const auto y = number_of(b);
        return y && *x == *y;
    }
    if (const auto* const x = a.list()) {
        const auto* const y = b.list();
        if (!y || x->size() != y->size()) return false;
        for (size_t i = 0; i < x->size(); ++i)
            if (!equal((*x)[i], (*y)[i], left)) return false;
        return true;
    }
    if (const auto* const x = a.dict()) {
        const auto* const y = b.dict();
        if (!y || x->size() != y->size()) return false;
        for (const auto& [key, value] : *x) {
            bool same = false;
            for (const auto& [other_key, other_value] : *y)
                if (equal(key, other_key, left)) {
                    same = equal(value, other_value, left);
                    break;
                }
            if (!same) return false;
        }
        return true;
    }
    return !b.list() && !b.dict() && a.content() == b.content();
}

} // namespace

PythonError::PythonError(std::string_view type, std::string_view message)
    : std::runtime_error(fmt::format("{}: {}", type, message)), type_(type), message_(message) {}

std::string_view PythonValue::type_name() const {
    if (const auto* const date = this->date()) return date->has_time ? "datetime.datetime" : "datetime.date";
    constexpr std::array<std::string_view, 9> names{"NoneType", "bool", "int",  "int", "float",
                                                    "",         "str",  "list", "dict"};
    return names[content_.index()];
}

bool PythonValue::is_true() const {
    if (is_none()) return false;
    if (const auto number = number_of(*this)) return *number != 0;
    if (const auto* const text = this->text()) return !text->empty();
    if (const auto* const list = this->list()) return !list->empty();
    if (const auto* const dict = this->dict()) return !dict->empty();
    return true;
}

std::string PythonValue::str() const {
    if (is_none()) return "None";
    if (const bool* const truth = boolean()) return *truth ? "True" : "False";
    if (const auto* const whole = std::get_if<int64_t>(&content_)) return fmt::to_string(*whole);
    if (const auto* const big = std::get_if<PythonBigInteger>(&content_)) return big->digits;
    if (const auto* const real = std::get_if<double>(&content_)) return float_repr(*real);
    if (const auto* const date = this->date()) return date->text;
    if (const auto* const text = this->text()) return *text;
    return repr();
}

std::string PythonValue::repr() const {
    std::string out;
    append_repr(out, *this);
    return out;
}

PythonValue PythonValue::get(std::string_view key, const PythonValue& fallback) const {
    if (!dict())
        throw PythonError("AttributeError", fmt::format("'{}' object has no attribute 'get'", type_name()));
    const PythonValue* const found = find(key);
    return found ? *found : fallback;
}

PythonValue PythonValue::item(std::string_view key) const {
    if (list()) throw PythonError("TypeError", "list indices must be integers or slices, not str");
    if (text()) throw PythonError("TypeError", "string indices must be integers, not 'str'");
    if (!dict()) throw PythonError("TypeError", fmt::format("'{}' object is not subscriptable", type_name()));
    const PythonValue* const found = find(key);
    if (!found) throw PythonError("KeyError", python_repr(key));
    return *found;
}

const PythonValue* PythonValue::find(std::string_view key) const {
    const PythonDict* const members = dict();
    if (!members) return nullptr;
    for (const auto& [name, value] : *members)
        if (const auto* const text = name.text(); text && *text == key) return &value;
    return nullptr;
}

bool PythonValue::contains(std::string_view key) const {
    if (dict()) return find(key) != nullptr;
    if (const auto* const text = this->text()) return text->find(key) != std::string::npos;
    if (const auto* const list = this->list()) {
        for (const PythonValue& item : *list)
            if (const auto* const text = item.text(); text && *text == key) return true;
        return false;
    }
    throw PythonError("TypeError", fmt::format("argument of type '{}' is not iterable", type_name()));
}

// Not in the header: where it is inlined, gcc 12 warns of members of the variant that are not used.
PythonValue::PythonValue(Content content, uint32_t offset) : content_(std::move(content)), offset_(offset) {}

PythonList PythonValue::each() const {
    if (const auto* const list = this->list()) return *list;
    PythonList all;
    if (const auto* const dict = this->dict()) {
        for (const auto& [key, value] : *dict) all.push_back(key);
        return all;
    }
    if (const auto* const text = this->text()) {
        for (const std::string_view character : utf8_characters(*text))
            all.emplace_back(std::string(character), offset_);
        return all;
    }
    throw PythonError("TypeError", fmt::format("'{}' object is not iterable", type_name()));
}

const std::string& PythonValue::text_for(std::string_view method) const {
    if (const auto* const text = this->text()) return *text;
    throw PythonError("AttributeError",
                      fmt::format("'{}' object has no attribute '{}'", type_name(), method));
}

const PythonValue& PythonValue::hashable() const {
    if (list() || dict()) throw PythonError("TypeError", fmt::format("unhashable type: '{}'", type_name()));
    return *this;
}

PythonValue empty_dict() {
    return PythonValue(std::make_shared<const PythonDict>());
}

PythonValue empty_list() {
    return PythonValue(std::make_shared<const PythonList>());
}

bool python_equal(const PythonValue& a, const PythonValue& b) {
    size_t left = most_comparisons;
    return equal(a, b, left);
}

std::string python_repr(std::string_view text) {
    const char quote =
        text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
    std::string out(1, quote);
    for (const std::string_view character : utf8_characters(text)) {
        if (character.size() == 1 && (character[0] == quote || character[0] == '\\')) {
            out += '\\';
            out += character;
        } else if (character == "\n") {
            out += "\\n";
        } else if (character == "\r") {
            out += "\\r";
        } else if (character == "\t") {
            out += "\\t";
        } else if (is_control(character) || is_hidden(character)) {
            const char32_t code =
                is_valid_utf8(character) ? decode_utf8(character) : static_cast<unsigned char>(character[0]);
            if (code < 0x100)
                out += fmt::format("\\x{:02x}", static_cast<uint32_t>(code));
            else if (code < 0x10000)
                out += fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
            else
                out += fmt::format("\\U{:08x}", static_cast<uint32_t>(code));
        } else {
            out += character;
        }
        if (out.size() > longest_text) break;
    }
    return out += quote;
}

std::string python_repr(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts) {
        if (out.size() > 1) out += ", ";
        out += python_repr(text);
    }
    return out + "]";
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

std::string_view python_strip(std::string_view text) {
    constexpr std::string_view blank = " \t\n\r\v\f\x1c\x1d\x1e\x1f";
    const size_t begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

} // namespace opcat::policy
