#include "resolve/v1/kubernetes_names.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace opcat::olmv1 {
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

} // namespace opcat::olmv1
