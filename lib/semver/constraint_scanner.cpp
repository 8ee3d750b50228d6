#include "semver/constraint_scanner.hpp"

#include "semver/identifiers.hpp"

#include <algorithm>
#include <array>

namespace opcat::semver {
namespace {

size_t end_of_number(std::string_view text, size_t at) {
    constexpr std::string_view characters = "0123456789|xX*";
    return std::min(text.size(), text.find_first_not_of(characters, at));
}

} // namespace

size_t skip_space(std::string_view text, size_t at) {
    while (at < text.size() && is_regexp_space(text[at])) ++at;
    return at;
}

std::string_view operator_at(std::string_view text, size_t at) {
    const size_t end = std::min(text.size(), text.find_first_not_of("=!<>~^", at));
    return text.substr(at, end - at);
}

bool is_operator(std::string_view text) {
    constexpr std::array<std::string_view, 12> operators = {
        "", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^"};
    return std::find(operators.begin(), operators.end(), text) != operators.end();
}

std::optional<WrittenVersion> version_at(std::string_view text, size_t at) {
    WrittenVersion version;
    size_t end = at < text.size() && text[at] == 'v' ? at + 1 : at;
    for (std::string_view& number : version.numbers) {
        const bool first = &number == &version.numbers[0];
        if (!first && (end == text.size() || text[end] != '.')) break;
        const size_t begin = first ? end : end + 1;
        const size_t stop = end_of_number(text, begin);
        if (stop == begin) break;
        number = text.substr(begin, stop - begin);
        end = stop;
    }
    if (version.numbers[0].empty()) return std::nullopt;
    if (end < text.size() && text[end] == '-')
        version.prerelease = text.substr(end + 1, end_of_identifiers(text, end + 1) - end - 1);
    end = end_of_suffixes(text, end);
    version.text = text.substr(at, end - at);
    return version;
}

size_t end_of_suffixes(std::string_view text, size_t at) {
    for (const char mark : {'-', '+'}) {
        if (at == text.size() || text[at] != mark) continue;
        const size_t end = end_of_identifiers(text, at + 1);
        if (end > at + 1) at = end;
    }
    return at;
}

} // namespace opcat::semver
