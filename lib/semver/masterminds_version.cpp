// Masterminds' grammars of versions.
#include "semver/version.hpp"

#include <algorithm>

namespace opcat::semver {
namespace {

constexpr size_t longest_version = 256;

ParseError too_long(std::string_view text) {
    return error_about(text, text.substr(longest_version), "version string is too long (max 256 bytes)");
}

size_t end_of_digits(std::string_view text, size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

// What is wrong with `prerelease`, a piece of `text`, if anything is.
std::optional<ParseError> prerelease_error(std::string_view text, std::string_view prerelease) {
    while (true) {
        const bool last = prerelease.find('.') == prerelease.npos;
        const std::string_view identifier = next_identifier(prerelease);
        if (!is_identifier(identifier)) return error_about(text, identifier, "invalid prerelease string");
        if (is_all_digits(identifier) && has_leading_zero(identifier))
            return error_about(text, identifier, "version segment starts with 0");
        if (last) return std::nullopt;
    }
}

} // namespace

Parsed<Version> Version::parse_coercing(std::string_view text) {
    if (text.size() > longest_version) return too_long(text);
    const auto invalid_at = [&](size_t at) {
        return error_about(text, text.substr(at, 1), "invalid semantic version");
    };

    std::string_view digits[3];
    size_t at = text.starts_with('v') ? 1 : 0;
    for (auto& number : digits) {
        const size_t end = end_of_digits(text, at);
        if (end == at) return invalid_at(at);
        number = text.substr(at, end - at);
        at = end;
        if (&number == &digits[2] || at == text.size() || text[at] != '.') break;
        ++at;
    }
    std::string_view parts[2];
    constexpr char marks[] = {'-', '+'};
    for (size_t i = 0; i < 2; ++i) {
        if (at == text.size() || text[at] != marks[i]) continue;
        const size_t end = end_of_identifiers(text, at + 1);
        if (end == at + 1) return invalid_at(end);
        parts[i] = text.substr(at + 1, end - at - 1);
        at = end;
    }
    if (at != text.size()) return invalid_at(at);

    Version version;
    uint64_t* const numbers[] = {&version.major, &version.minor, &version.patch};
    for (size_t i = 0; i < 3 && !digits[i].empty(); ++i) {
        const auto value = parse_number(digits[i]);
        if (!value)
            return error_about(text, digits[i], "error parsing version segment: " + number_error(digits[i]));
        *numbers[i] = *value;
    }
    if (!parts[0].empty())
        if (auto error = prerelease_error(text, parts[0])) return *std::move(error);
    version.prerelease = parts[0];
    version.build = parts[1];
    return version;
}

Parsed<Version> Version::parse_masterminds_strict(std::string_view text) {
    if (text.empty()) return error_about(text, text, "version string empty");
    if (text.size() > longest_version) return too_long(text);
    const size_t first_dot = text.find('.');
    const size_t second_dot = first_dot == text.npos ? text.npos : text.find('.', first_dot + 1);
    if (second_dot == text.npos)
        return error_about(text, text.substr(text.size()), "invalid semantic version");

    const size_t plus = std::min(text.size(), text.find('+', second_dot));
    const size_t minus = std::min(plus, text.find('-', second_dot));
    Version version;
    if (plus < text.size()) {
        const size_t end = end_of_identifiers(text, plus + 1);
        if (end < text.size() || end == plus + 1)
            return error_about(text, text.substr(end), "invalid metadata string");
        version.build = text.substr(plus + 1);
    }
    if (minus < plus) {
        const std::string_view prerelease = text.substr(minus + 1, plus - minus - 1);
        if (auto error = prerelease_error(text, prerelease)) return *std::move(error);
        version.prerelease = prerelease;
    }
    const std::string_view digits[] = {text.substr(0, first_dot),
                                       text.substr(first_dot + 1, second_dot - first_dot - 1),
                                       text.substr(second_dot + 1, minus - second_dot - 1)};
    for (const auto part : digits) {
        if (!is_all_digits(part)) return error_about(text, part, "invalid characters in version");
        if (has_leading_zero(part)) return error_about(text, part, "version segment starts with 0");
    }
    uint64_t* const numbers[] = {&version.major, &version.minor, &version.patch};
    for (size_t i = 0; i < 3; ++i) {
        const auto value = parse_number(digits[i]);
        if (!value) return error_about(text, digits[i], number_error(digits[i]));
        *numbers[i] = *value;
    }
    return version;
}

} // namespace opcat::semver
