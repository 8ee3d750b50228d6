#include "opcat/kube/labels.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/document/json_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace opcat::kube {
namespace {

constexpr bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
constexpr bool is_letter_or_digit(char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

// [A-Za-z0-9] at both ends, and also '-', '_' and '.' between them.
bool is_label_text(std::string_view text) {
    return !text.empty() && is_letter_or_digit(text.front()) && is_letter_or_digit(text.back()) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(size_t limit) {
    return fmt::format("must be no more than {} bytes", limit);
}

constexpr std::string_view characters_of_labels =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character";
constexpr std::string_view pattern_of_keys =
    " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

} // namespace

bool is_dns1123_label(std::string_view text) {
    return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_dns1123_subdomain(std::string_view text) {
    for (size_t begin = 0;;) {
        const size_t end = std::min(text.size(), text.find('.', begin));
        if (!is_dns1123_label(text.substr(begin, end - begin))) return false;
        if (end == text.size()) return true;
        begin = end + 1;
    }
}

std::vector<std::string> subdomain_errors(std::string_view text) {
    std::vector<std::string> errors;
    if (text.size() > longest_subdomain) errors.push_back(too_long(longest_subdomain));
    if (!is_dns1123_subdomain(text))
        errors.emplace_back(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
            "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
            "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    return errors;
}

std::vector<std::string> label_key_errors(std::string_view text) {
    const size_t slash = text.find('/');
    if (slash != text.npos && text.find('/', slash + 1) != text.npos)
        return {fmt::format("a qualified name {}{} with an optional DNS subdomain prefix and '/' (e.g. "
                            "'example.com/MyName')",
                            characters_of_labels, pattern_of_keys)};
    std::vector<std::string> errors;
    std::string_view name = text;
    if (slash != text.npos) {
        name = text.substr(slash + 1);
        if (slash == 0)
            errors.emplace_back("prefix part must be non-empty");
        else
            for (const std::string& error : subdomain_errors(text.substr(0, slash)))
                errors.push_back("prefix part " + error);
    }
    if (name.empty()) errors.emplace_back("name part must be non-empty");
    if (name.size() > longest_label) errors.push_back("name part " + too_long(longest_label));
    if (!is_label_text(name))
        errors.push_back(fmt::format("name part {}{}", characters_of_labels, pattern_of_keys));
    return errors;
}

std::vector<std::string> label_value_errors(std::string_view text) {
    std::vector<std::string> errors;
    if (text.size() > longest_label) errors.push_back(too_long(longest_label));
    if (!text.empty() && !is_label_text(text))
        errors.emplace_back("a valid label must be an empty string or consist of alphanumeric characters, "
                            "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
                            "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                            "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    return errors;
}

bool is_object_name(std::string_view text) {
    return !text.empty() && text.size() <= longest_subdomain && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter_or_digit(c) || c == '.' || c == '-' || c == ':' || c == '_';
           });
}

bool is_namespace_name(std::string_view text) {
    return is_dns1123_label(text) && text.size() <= longest_label;
}

// ---- selectors

namespace {

// A list of strings as Go's encoding/json writes it; an empty one is nil where selectors are made.
std::string json_list(const std::vector<std::string>& values) {
    if (values.empty()) return "null";
    std::string text = "[";
    for (const std::string& value : values) {
        if (text.size() > 1) text += ',';
        append_json_string(text, value);
    }
    return text + "]";
}

} // namespace

bool LabelSelector::Requirement::holds(const Labels& labels) const {
    const auto label = labels.find(key);
    const bool has = label != labels.end();
    const auto is_among = [&] {
        return std::find(values.begin(), values.end(), label->second) != values.end();
    };
    switch (op) {
    case Operator::in:
        return has && is_among();
    case Operator::not_in:
        return !has || !is_among();
    case Operator::exists:
        return has;
    case Operator::does_not_exist:
        return !has;
    }
    return false;
}

std::string LabelSelector::Requirement::to_string() const {
    switch (op) {
    case Operator::in:
        return fmt::format("{} in ({})", key, fmt::join(values, ", "));
    case Operator::not_in:
        return fmt::format("{} notin ({})", key, fmt::join(values, ", "));
    case Operator::exists:
        return key;
    case Operator::does_not_exist:
        return "!" + key;
    }
    return key;
}

std::string LabelSelector::error_in(const Requirement& requirement) {
    std::vector<std::string> errors;
    if (const auto wrong = label_key_errors(requirement.key); !wrong.empty())
        errors.push_back(
            fmt::format("key: Invalid value: {}: {}", go_quote(requirement.key), fmt::join(wrong, "; ")));
    const bool has_values = requirement.op == Operator::in || requirement.op == Operator::not_in;
    if (has_values && requirement.values.empty())
        errors.emplace_back(
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
    if (!has_values && !requirement.values.empty())
        errors.push_back(
            fmt::format("values: Invalid value: {}: values set must be empty for exists and does not exist",
                        json_list(requirement.values)));
    for (size_t i = 0; i < requirement.values.size(); ++i)
        if (const auto wrong = label_value_errors(requirement.values[i]); !wrong.empty())
            errors.push_back(fmt::format("values[{}][{}]: Invalid value: {}: {}", i, requirement.key,
                                         go_quote(requirement.values[i]), fmt::join(wrong, "; ")));
    if (errors.size() < 2) return errors.empty() ? std::string() : errors[0];
    return fmt::format("[{}]", fmt::join(errors, ", "));
}

Result<LabelSelector, std::string> LabelSelector::compile(const LabelSelectorSpec& spec) {
    LabelSelector selector;
    for (const auto& [key, value] : spec.match_labels)
        selector.requirements_.push_back({key, Operator::in, {value}});
    for (const Requirement& requirement : selector.requirements_)
        if (std::string error = error_in(requirement); !error.empty()) return error;
    for (const auto& [key, op, values] : spec.match_expressions) {
        const std::optional<Operator> known = op == "In"             ? std::optional(Operator::in)
                                              : op == "NotIn"        ? std::optional(Operator::not_in)
                                              : op == "Exists"       ? std::optional(Operator::exists)
                                              : op == "DoesNotExist" ? std::optional(Operator::does_not_exist)
                                                                     : std::nullopt;
        if (!known) return go_quote(op) + " is not a valid label selector operator";
        selector.requirements_.push_back({key, *known, values});
        if (std::string error = error_in(selector.requirements_.back()); !error.empty()) return error;
    }
    return selector;
}

std::string LabelSelector::first_failing(const Labels& labels) const {
    const auto failing = std::find_if(requirements_.begin(), requirements_.end(),
                                      [&](const Requirement& r) { return !r.holds(labels); });
    return failing == requirements_.end() ? std::string() : failing->to_string();
}

Labels labels_of(const Fields& object) {
    Labels labels;
    for (const Member& member : object.members("metadata", "labels"))
        if (member.value.is_string())
            labels.insert_or_assign(std::string(member.key.string()), std::string(member.value.string()));
    return labels;
}

LabelSelectorSpec selector_in(const Fields& selector) {
    LabelSelectorSpec spec;
    for (const Member& member : selector.members("matchLabels"))
        spec.match_labels.insert_or_assign(std::string(member.key.string()),
                                           std::string(member.value.string_or_empty()));
    for (const Fields expression : selector.items("matchExpressions"))
        spec.match_expressions.push_back({std::string(expression.text("key")),
                                          std::string(expression.text("operator")),
                                          expression.strings("values")});
    return spec;
}

bool selects(const Fields& selector, const Fields& object) {
    const auto compiled = LabelSelector::compile(selector_in(selector));
    return compiled && compiled->matches(labels_of(object));
}

} // namespace opcat::kube
