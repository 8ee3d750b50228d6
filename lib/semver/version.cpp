// blang's grammar of versions.
#include "semver/version.hpp"

#include "support/go_quote.hpp"

#include <fmt/core.h>

namespace opcat::semver {
namespace {

// What is wrong with a major, minor or patch number; otherwise nothing, and `number` is set.
std::string read_number(std::string_view digits, std::string_view name, std::string_view title,
                        uint64_t& number) {
    if (!is_all_digits(digits))
        return fmt::format("Invalid character(s) found in {} number {}", name, go_quote(digits));
    if (has_leading_zero(digits))
        return fmt::format("{} number must not contain leading zeroes {}", title, go_quote(digits));
    const auto value = parse_number(digits);
    if (!value) return number_error(digits);
    number = *value;
    return {};
}

std::string build_identifier_error(std::string_view identifier) {
    if (identifier.empty()) return "Build meta data is empty";
    if (is_identifier(identifier)) return {};
    return "Invalid character(s) found in build meta data " + go_quote(identifier);
}

// Calls `error_of` for each identifier of `joined`, a piece of `text`, until one is wrong.
template <typename ErrorOf>
std::optional<ParseError> find_error(std::string_view text, std::string_view joined, ErrorOf error_of) {
    while (true) {
        const bool last = joined.find('.') == joined.npos;
        const std::string_view identifier = next_identifier(joined);
        std::string message = error_of(identifier);
        if (!message.empty()) return error_about(text, identifier, std::move(message));
        if (last) return std::nullopt;
    }
}

// Splits `text` at the first `mark`: what follows it, or nothing; `text` keeps what stands before.
std::optional<std::string_view> cut_off(std::string_view& text, char mark) {
    const size_t at = text.find(mark);
    if (at == text.npos) return std::nullopt;
    const std::string_view after = text.substr(at + 1);
    text = text.substr(0, at);
    return after;
}

} // namespace

Parsed<Version> Version::parse(std::string_view text) {
    if (text.empty()) return ParseError{"Version string empty", 0, 0};
    const size_t first_dot = text.find('.');
    const size_t second_dot = first_dot == text.npos ? text.npos : text.find('.', first_dot + 1);
    if (second_dot == text.npos) return ParseError{"No Major.Minor.Patch elements found", text.size(), 0};

    const std::string_view major = text.substr(0, first_dot);
    const std::string_view minor = text.substr(first_dot + 1, second_dot - first_dot - 1);
    std::string_view patch = text.substr(second_dot + 1);
    const auto build = cut_off(patch, '+');
    const auto prerelease = cut_off(patch, '-');

    Version version;
    const struct {
        std::string_view digits, name, title;
        uint64_t& number;
    } numbers[] = {{major, "major", "Major", version.major},
                   {minor, "minor", "Minor", version.minor},
                   {patch, "patch", "Patch", version.patch}};
    for (const auto& n : numbers) {
        std::string message = read_number(n.digits, n.name, n.title, n.number);
        if (!message.empty()) return error_about(text, n.digits, std::move(message));
    }
    if (prerelease) {
        if (auto error = find_error(text, *prerelease, prerelease_identifier_error)) return *std::move(error);
        version.prerelease = *prerelease;
    }
    if (build) {
        if (auto error = find_error(text, *build, build_identifier_error)) return *std::move(error);
        version.build = *build;
    }
    return version;
}

std::string Version::to_string() const {
    std::string text = fmt::format("{}.{}.{}", major, minor, patch);
    if (!prerelease.empty()) (text += '-') += prerelease;
    if (!build.empty()) (text += '+') += build;
    return text;
}

} // namespace opcat::semver
