#include "opcat/semver/range_problem.hpp"

#include "opcat/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace opcat::semver {
namespace {

// Mistakes that people make, and the help for each. The first one that the text has counts.
constexpr std::pair<std::string_view, std::string_view> mistakes[] = {
    {"\u2018", "it contains curly quotes: write straight ones around it, and none inside"},
    {"\u2019", "it contains curly quotes: write straight ones around it, and none inside"},
    {"\u201c", "it contains curly quotes: write straight ones around it, and none inside"},
    {"\u201d", "it contains curly quotes: write straight ones around it, and none inside"},
    {"\u201e", "it contains curly quotes: write straight ones around it, and none inside"},
    {"\"", "the quotes are part of the text: write only one pair around it"},
    {"'", "the quotes are part of the text: write only one pair around it"},
    {"`", "the quotes are part of the text: write only one pair around it"},
    {"\u00a0", "it contains a no-break space (U+00A0): write an ordinary one"},
    {"\t", "it contains a tab: write a blank"},
    {"\n", "it contains a line break: write a blank"},
    {"\u2265", "write >= for \u2265"},
    {"\u2264", "write <= for \u2264"},
    {"\u2013", "it contains a dash (\u2013): write a hyphen, or two comparisons"},
    {",", "it contains a comma: write a blank between comparisons"},
    {";", "it contains a semicolon: write a blank between comparisons"},
    {"&", "it contains a \"&\": write a blank between comparisons"},
    {"=>", "write >= for =>"},
    {"=<", "write <= for =<"},
    {"^", "\"^\" is of another dialect: write both ends, as in \">=1.2.0 <2.0.0\""},
    {"~", "\"~\" is of another dialect: write both ends, as in \">=1.2.0 <1.3.0\""},
    {" - ", "\" - \" is of another dialect: write both ends, as in \">=1.2.0 <=1.3.0\""},
    {"[", "brackets are of another dialect: write both ends, as in \">=1.2.0 <1.3.0\""},
    {"(", "brackets are of another dialect: write both ends, as in \">=1.2.0 <1.3.0\""},
    {"*", "\"*\" is of another dialect: write \"x\", as in \"1.2.x\""},
};

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

// The part between blanks and bars at a place of the text.
std::string_view word_around(std::string_view text, size_t at) {
    const auto separates = [](char c) { return is_blank(c) || c == '|'; };
    at = std::min(at, text.size());
    size_t begin = at;
    size_t end = at;
    while (begin > 0 && !separates(text[begin - 1])) --begin;
    while (end < text.size() && !separates(text[end])) ++end;
    return text.substr(begin, end - begin);
}

std::string about_word(std::string_view word, std::string_view other) {
    const size_t digit = word.find_first_of("0123456789");
    if (digit == word.npos) return fmt::format("\"{}\" has no version{}", word, other);
    const std::string_view version = word.substr(digit);
    if (digit > 0 && ascii_lower(word[digit - 1]) == 'v')
        return fmt::format("\"{}\" has a \"{}\" before the version: remove it", word, word[digit - 1]);
    const std::string_view core = version.substr(0, version.find_first_of("-+"));
    const auto points = std::count(core.begin(), core.end(), '.');
    const bool are_numbers = core.find_first_not_of("0123456789.") == core.npos;
    if (are_numbers && points < 2)
        return fmt::format("\"{}\" is not a whole version: write {}{}", version, core,
                           points == 0 ? ".0.0" : ".0");
    if (are_numbers && points > 2)
        return fmt::format("\"{}\" has {} numbers, and a version has three", version, points + 1);
    return fmt::format("\"{}\" is not a version{}", version, other);
}

} // namespace

std::string explain_range_problem(std::string_view text, const ParseError& problem) {
    if (text.find_first_not_of(" |") == text.npos) return "it is empty";
    for (const auto& [part, words] : mistakes)
        if (text.find(part) != text.npos) return std::string(words);
    const size_t first = text.find_first_not_of(" |");
    if (text.substr(0, first).find('|') != text.npos) return "it begins with \"||\"";
    const size_t last = text.find_last_not_of(" |");
    if (text.substr(last).find('|') != text.npos) return "it ends with \"||\"";
    for (size_t bar = text.find('|'); bar != text.npos; bar = text.find('|', bar + 2))
        if (!text.substr(bar).starts_with("||")) return "write || for |";
    // Blang's own words say the rest, as with a leading zero.
    const size_t colon = problem.message.rfind(": ");
    const std::string reason = colon == problem.message.npos || problem.message.ends_with('"')
                                   ? std::string()
                                   : problem.message.substr(colon + 1);
    return about_word(word_around(text, problem.offset), reason.empty() ? reason : ":" + reason);
}

} // namespace opcat::semver
