// Values as the official pipelines' Python sees them. Their checks index, search and print what a YAML file
// holds without asking what it is, so a file of the wrong shape ends a check with an exception, which is an
// error of that check. To agree with them, so do these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace opcat::policy {

// An exception of Python that ends a check; what() is the last line of its traceback.
class PythonError : public std::runtime_error {
public:
    PythonError(std::string_view type, std::string_view message);

    // For `except ValueError`.
    bool is_value_error() const { return type_ == "ValueError" || type_ == "UnicodeDecodeError"; }
    const std::string& message() const { return message_; }

private:
    std::string type_;
    std::string message_;
};

class PythonValue;
using PythonList = std::vector<PythonValue>;
using PythonDict = std::vector<std::pair<PythonValue, PythonValue>>; // in the order of insertion

// A date, or a time of a day: Python prints both in its own way.
struct PythonDate {
    std::string text; // str()
    std::string code; // repr()
    bool has_time = false;

    bool operator==(const PythonDate&) const = default;
};

// An integer that 64 bits do not hold, in decimal digits.
struct PythonBigInteger {
    std::string digits;

    bool operator==(const PythonBigInteger&) const = default;
};

class PythonValue {
public:
    using Content =
        std::variant<std::monostate, bool, int64_t, PythonBigInteger, double, PythonDate, std::string,
                     std::shared_ptr<const PythonList>, std::shared_ptr<const PythonDict>>;

    // None. NOLINTNEXTLINE(readability-redundant-member-init): a default one is not complete where it is used
    PythonValue() : content_() {}
    explicit PythonValue(Content content) : content_(std::move(content)) {}
    PythonValue(Content content, uint32_t offset);
    static PythonValue of(std::string_view text) { return PythonValue(std::string(text)); }

    const Content& content() const { return content_; }
    // Returns the place of the value in its file.
    uint32_t offset() const { return offset_; }

    bool is_none() const { return std::holds_alternative<std::monostate>(content_); }
    // nullptr if it is something else.
    const std::string* text() const { return std::get_if<std::string>(&content_); }
    const PythonList* list() const { return pointer<PythonList>(); }
    const PythonDict* dict() const { return pointer<PythonDict>(); }
    const bool* boolean() const { return std::get_if<bool>(&content_); }
    const PythonDate* date() const { return std::get_if<PythonDate>(&content_); }

    // "NoneType", "str", ...
    std::string_view type_name() const;
    // Returns true if `if value` holds.
    bool is_true() const;
    // Texts longer than a message may be are cut.
    std::string str() const;
    std::string repr() const;

    // value.get(key, fallback)
    PythonValue get(std::string_view key, const PythonValue& fallback = {}) const;
    // value[key]
    PythonValue item(std::string_view key) const;
    // The value of a dict; nullptr if it is none, or has no such key.
    const PythonValue* find(std::string_view key) const;
    // key in value
    bool contains(std::string_view key) const;
    // for each in value: the items of a list, the keys of a dict, the characters of a text
    PythonList each() const;
    // The text, to call one of its methods.
    const std::string& text_for(std::string_view method) const;
    // As a key of a dict or an item of a set, which lists and dicts cannot be.
    const PythonValue& hashable() const;

private:
    template <class T>
    const T* pointer() const {
        const auto* const held = std::get_if<std::shared_ptr<const T>>(&content_);
        return held ? held->get() : nullptr;
    }

    Content content_;
    uint32_t offset_ = 0;
};

PythonValue empty_dict();
PythonValue empty_list();

// Python's ==. Throws Error if there is too much to compare.
bool python_equal(const PythonValue& a, const PythonValue& b);

// repr() of a text, and of a list of texts.
std::string python_repr(std::string_view text);
std::string python_repr(const std::vector<std::string>& texts);

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words);

// text.strip(), of ASCII's white space.
std::string_view python_strip(std::string_view text);

} // namespace opcat::policy
