#include "opcat/semver/version.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace opcat::semver {
namespace {

bool is_identifier_character(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

constexpr std::string_view largest_number = "18446744073709551615";

bool is_number(std::string_view identifier) {
    if (identifier.size() > largest_number.size() || !is_all_digits(identifier)) return false;
    return identifier.size() < largest_number.size() || identifier <= largest_number;
}

std::strong_ordering compare_identifier(std::string_view a, std::string_view b) {
    const bool a_is_number = is_number(a);
    const bool b_is_number = is_number(b);
    if (a_is_number != b_is_number)
        return a_is_number ? std::strong_ordering::less : std::strong_ordering::greater;
    // Without leading zeros the longer number is the larger one.
    if (a_is_number && a.size() != b.size()) return a.size() <=> b.size();
    return a.compare(b) <=> 0;
}

} // namespace

bool is_all_digits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_digit);
}

bool is_identifier(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_identifier_character);
}

std::optional<uint64_t> parse_number(std::string_view digits) {
    uint64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

std::string number_error(std::string_view digits) {
    return "strconv.ParseUint: parsing " + go_quote(digits) +
           (digits.empty() ? ": invalid syntax" : ": value out of range");
}

std::string_view next_identifier(std::string_view& rest) {
    const std::string_view identifier = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), identifier.size() + 1));
    return identifier;
}

size_t end_of_identifiers(std::string_view text, size_t at) {
    size_t end = at;
    for (size_t begin = at; begin < text.size(); begin = end + 1) {
        size_t i = begin;
        while (i < text.size() && is_identifier_character(text[i])) ++i;
        if (i == begin) break;
        end = i;
        if (end == text.size() || text[end] != '.') break;
    }
    return end;
}

std::string prerelease_identifier_error(std::string_view identifier) {
    if (identifier.empty()) return "Prerelease is empty";
    if (is_all_digits(identifier)) {
        if (has_leading_zero(identifier))
            return "Numeric PreRelease version must not contain leading zeroes " + go_quote(identifier);
        return is_number(identifier) ? std::string() : number_error(identifier);
    }
    if (!is_identifier(identifier)) return "Invalid character(s) found in prerelease " + go_quote(identifier);
    return {};
}

std::strong_ordering compare_identifiers(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        const auto order = compare_identifier(next_identifier(a), next_identifier(b));
        if (std::is_neq(order)) return order;
    }
    return !a.empty() <=> !b.empty();
}

} // namespace opcat::semver

// The grammars of versions: blang's strict and forgiving ones (the text is corrected, then read strictly),
// and Masterminds'.
namespace opcat::semver {
namespace {

// Returns what is wrong with a major, minor or patch number; otherwise nothing, and sets `number`.
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

// Splits `text` at the first `mark`: what follows it, or nothing; `text` keeps what is before.
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

namespace {

// The corrected text, and where its pieces are in the given one.
class StraightText {
public:
    // One of the up to three parts between dots, which is at `offset` in the given text: without leading
    // zeros, but with one if no digit would be left in front.
    void append(std::string_view part, size_t offset) {
        const size_t zeros = part.size() > 1 ? std::min(part.size(), part.find_first_not_of('0')) : 0;
        const std::string_view kept = part.substr(zeros);
        const bool needs_zero = part.size() > 1 && (kept.empty() || !is_digit(kept[0]));
        if (count_ > 0) text_ += '.';
        pieces_.at(count_++) = {text_.size(), offset + zeros, needs_zero ? size_t{1} : size_t{0}};
        if (needs_zero) text_ += '0';
        text_ += kept;
    }

    const std::string& text() const { return text_; }

    size_t origin(size_t at) const {
        size_t i = count_ - 1;
        while (i > 0 && pieces_.at(i).begin > at) --i;
        const Piece& piece = pieces_.at(i);
        const size_t within = at - piece.begin;
        return piece.source + within - std::min(within, piece.added);
    }

private:
    struct Piece {
        size_t begin, source, added;
    };
    std::string text_;
    std::array<Piece, 3> pieces_{};
    size_t count_ = 0;
};

} // namespace

Parsed<Version> Version::parse_tolerant(std::string_view text) {
    std::string_view rest = trim_white_space(text);
    if (rest.starts_with('v')) rest.remove_prefix(1);
    const auto offset_of = [&](std::string_view part) {
        return static_cast<size_t>(part.data() - text.data());
    };

    StraightText straight;
    size_t missing = 2;
    for (; missing > 0 && rest.find('.') != rest.npos; --missing) {
        const std::string_view part = rest.substr(0, rest.find('.'));
        straight.append(part, offset_of(part));
        rest.remove_prefix(part.size() + 1);
    }
    const size_t mark = missing > 0 ? rest.find_first_of("+-") : rest.npos;
    if (mark != rest.npos)
        return error_about(text, rest.substr(mark),
                           "Short version cannot contain PreRelease/Build meta data");
    straight.append(rest, offset_of(rest));
    for (; missing > 0; --missing) straight.append("0", text.size());

    auto version = parse(straight.text());
    if (version) return version;
    const ParseError& error = version.error();
    const size_t begin = std::min(text.size(), straight.origin(error.offset));
    const size_t end = std::min(text.size(), straight.origin(error.offset + error.length));
    return ParseError{error.message, begin, std::max(begin, end) - begin};
}

namespace {

constexpr size_t longest_version = 256;

ParseError too_long(std::string_view text) {
    return error_about(text, text.substr(longest_version), "version string is too long (max 256 bytes)");
}

size_t end_of_digits(std::string_view text, size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

// Returns what is wrong with `prerelease`, a piece of `text`, if anything is.
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
    std::string_view prerelease;
    std::string_view build;
    for (const auto& [mark, part] : {std::pair('-', &prerelease), std::pair('+', &build)}) {
        if (at == text.size() || text[at] != mark) continue;
        const size_t end = end_of_identifiers(text, at + 1);
        if (end == at + 1) return invalid_at(end);
        *part = text.substr(at + 1, end - at - 1);
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
    if (!prerelease.empty())
        if (auto error = prerelease_error(text, prerelease)) return *std::move(error);
    version.prerelease = prerelease;
    version.build = build;
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
