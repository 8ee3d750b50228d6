#include "resolve/v1/label_selector.hpp"

#include "base/go_quote.hpp"
#include "document/json_writer.hpp"
#include "resolve/v1/kubernetes_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace opcat::olmv1 {
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

} // namespace opcat::olmv1
