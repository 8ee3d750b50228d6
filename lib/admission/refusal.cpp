#include "opcat/admission/refusal.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/kube/labels.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::admission {

using kube::Fields;

void Refusals::add(std::string field, const Fields& part, std::string what) {
    list_.push_back({std::move(field), std::move(what), part.value().offset()});
}

void Refusals::invalid(std::string field, const Fields& part, std::string_view why) {
    const Value& value = part.value();
    const std::string shown = value.is_string() ? go_quote(value.string()) : kube::to_text(value);
    add(std::move(field), part, fmt::format("Invalid value: {}: {}", shown, why));
}

void Refusals::invalid_text(std::string field, const Fields& part, std::string_view text,
                            std::string_view why) {
    add(std::move(field), part, fmt::format("Invalid value: {}: {}", go_quote(text), why));
}

void Refusals::required(std::string field, const Fields& near, std::string_view why) {
    add(std::move(field), near, why.empty() ? "Required value" : fmt::format("Required value: {}", why));
}

void Refusals::forbidden(std::string field, const Fields& part, std::string_view why) {
    add(std::move(field), part, fmt::format("Forbidden: {}", why));
}

void Refusals::duplicate(std::string field, const Fields& part) {
    add(std::move(field), part, fmt::format("Duplicate value: {}", kube::to_text(part.value())));
}

void Refusals::not_supported(std::string field, const Fields& part,
                             std::initializer_list<std::string_view> supported) {
    std::string list;
    for (const std::string_view one : supported) list += (list.empty() ? "" : ", ") + go_quote(one);
    add(std::move(field), part,
        fmt::format("Unsupported value: {}: supported values: {}",
                    part ? kube::to_text(part.value()) : "\"\"", list));
}

void Refusals::check_choice(std::string field, const Fields& part,
                            std::initializer_list<std::string_view> supported) {
    const std::string_view text = part.value().string_or_empty();
    if (text.empty() || std::find(supported.begin(), supported.end(), text) != supported.end()) return;
    not_supported(std::move(field), part, supported);
}

std::string invalid_message(std::string_view kind, std::string_view name,
                            const std::vector<Refusal>& refusals) {
    std::string all;
    for (const Refusal& refusal : refusals) all += (all.empty() ? "" : ", ") + refusal.to_string();
    if (refusals.size() > 1) all = "[" + all + "]";
    return fmt::format("{} {} is invalid: {}", kind, go_quote(name), all);
}

std::string item(const std::string& path, size_t index) {
    return fmt::format("{}[{}]", path, index);
}

std::string entry(const std::string& path, std::string_view key) {
    return fmt::format("{}[{}]", path, key);
}

bool is_dns1035_label(std::string_view text) {
    return kube::is_dns1123_label(text) && text.size() <= kube::longest_label && !is_digit(text[0]);
}

std::vector<std::string> dns1035_label_errors(std::string_view text) {
    if (is_dns1035_label(text)) return {};
    std::vector<std::string> errors;
    if (text.size() > kube::longest_label)
        errors.push_back(fmt::format("must be no more than {} characters", kube::longest_label));
    if (!kube::is_dns1123_label(text) || is_digit(text[0]))
        errors.emplace_back(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
            "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
            "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
    return errors;
}

std::vector<std::string> dns1123_label_errors(std::string_view text) {
    std::vector<std::string> errors;
    if (text.size() > kube::longest_label)
        errors.push_back(fmt::format("must be no more than {} bytes", kube::longest_label));
    if (!kube::is_dns1123_label(text))
        errors.emplace_back("a lowercase RFC 1123 label must consist of lower case alphanumeric characters "
                            "or '-', and must start and end with an alphanumeric character (e.g. 'my-name', "
                            " or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
    return errors;
}

std::vector<std::string> port_name_errors(std::string_view text) {
    constexpr size_t longest = 15;
    std::vector<std::string> errors;
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    if (text.size() > longest) errors.push_back(fmt::format("must be no more than {} characters", longest));
    if (!std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_lower(c) || is_digit(c) || c == '-'; }))
        errors.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (!std::any_of(text.begin(), text.end(), is_lower))
        errors.emplace_back("must contain at least one letter (a-z)");
    if (text.find("--") != text.npos) errors.emplace_back("must not contain consecutive hyphens");
    if (text.starts_with('-') || text.ends_with('-'))
        errors.emplace_back("must not begin or end with a hyphen");
    return errors;
}

void check_port(const std::string& path, const Fields& port, Refusals& out) {
    if (port.value().is_string()) {
        for (const std::string& error : port_name_errors(port.value().string()))
            out.invalid(path, port, error);
        return;
    }
    if (const int64_t number = port.number(); number < 1 || number > 65535)
        out.invalid(path, port, "must be between 1 and 65535, inclusive");
}

void check_labels(const std::string& path, const Fields& labels, Refusals& out) {
    for (const Member& label : labels.members()) {
        for (const std::string& error : kube::label_key_errors(label.key.string()))
            out.invalid(path, Fields(label.key), error);
        for (const std::string& error : kube::label_value_errors(label.value.string_or_empty()))
            out.invalid(path, Fields(label.value), error);
    }
}

void check_requirement(const std::string& path, const Fields& expression, bool of_nodes, Refusals& out) {
    const std::string_view op = expression.text("operator");
    const size_t values = expression.items("values").size();
    if (op == "In" || op == "NotIn") {
        if (values == 0)
            out.required(path + ".values", expression,
                         "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (op == "Exists" || op == "DoesNotExist") {
        if (values > 0)
            out.forbidden(path + ".values", expression.at("values"),
                          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if (of_nodes && (op == "Gt" || op == "Lt")) {
        if (values != 1)
            out.required(path + ".values", expression,
                         "must be specified single value when `operator` is 'Lt' or 'Gt'");
    } else {
        out.invalid_text(path + ".operator",
                         expression.at("operator") ? expression.at("operator") : expression, op,
                         "not a valid selector operator");
    }
    for (const std::string& error : kube::label_key_errors(expression.text("key")))
        out.invalid_text(path + ".key", expression.at("key") ? expression.at("key") : expression,
                         expression.text("key"), error);
}

void check_selector(const std::string& path, const Fields& selector, Refusals& out) {
    check_labels(path + ".matchLabels", selector.at("matchLabels"), out);
    size_t index = 0;
    for (const Fields expression : selector.items("matchExpressions")) {
        const std::string where = item(path + ".matchExpressions", index++);
        check_requirement(where, expression, false, out);
        size_t value_index = 0;
        for (const Fields value : expression.items("values"))
            for (const std::string value_path = item(where + ".values", value_index++);
                 const std::string& error : kube::label_value_errors(value.value().string_or_empty()))
                out.invalid(value_path, value, error);
    }
}

void check_amount(const std::string& path, const Fields& amount, bool is_part, Refusals& out) {
    if (!amount) return;
    const Value& value = amount.value();
    if (!value.is_string()) {
        if (amount.number() < 0) out.invalid(path, amount, "must be greater than or equal to 0");
        return;
    }
    const std::string_view text = value.string();
    const bool is_percentage =
        text.size() > 1 && text.ends_with('%') && std::all_of(text.begin(), text.end() - 1, is_digit);
    if (!is_percentage)
        out.invalid(
            path, amount,
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
            "'93%', regex used for validation is '[0-9]+%')");
    else if (is_part && (text.size() > 4 || (text.size() == 4 && text > "100%")))
        out.invalid(path, amount, "must not be greater than 100%");
}

} // namespace opcat::admission
