#include "opcat/semver/constraints.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace opcat::semver {

bool Constraints::Constraint::holds(const Version& v) const {
    const bool dirty = wildcard != Wildcard::none;
    switch (op) {
    case Operator::equal:
        return dirty ? in_tilde(v) : v == version;
    case Operator::not_equal:
        return dirty ? not_equal_with_wildcard(v) : v != version;
    case Operator::greater:
        return dirty ? greater_with_wildcard(v) : v > version;
    case Operator::less:
        return v < version;
    case Operator::greater_equal:
        return v >= version;
    case Operator::less_equal:
        return dirty ? less_equal_with_wildcard(v) : v <= version;
    case Operator::tilde:
        return in_tilde(v);
    case Operator::caret:
        break;
    }
    return in_caret(v);
}

bool Constraints::Constraint::not_equal_with_wildcard(const Version& v) const {
    if (v.major != version.major) return true;
    if (wildcard == Wildcard::minor) return false;
    if (v.minor != version.minor) return true;
    if (wildcard == Wildcard::patch)
        return std::is_neq(Version::compare_prereleases(v, version)); // the same when neither has one
    return v.patch != version.patch || v != version;
}

bool Constraints::Constraint::greater_with_wildcard(const Version& v) const {
    if (wildcard == Wildcard::minor) return v.major > version.major;
    if (wildcard == Wildcard::patch)
        return std::pair(v.major, v.minor) > std::pair(version.major, version.minor);
    return v > version;
}

// For any patch number.
bool Constraints::Constraint::less_equal_with_wildcard(const Version& v) const {
    if (wildcard == Wildcard::minor) return v.major <= version.major;
    return std::pair(v.major, v.minor) <= std::pair(version.major, version.minor);
}

bool Constraints::Constraint::in_tilde(const Version& v) const {
    if (v < version) return false;
    // Meant for "*", but "~0.0.0" cannot be distinguished from it and is everything too.
    const bool is_zero = version.major == 0 && version.minor == 0 && version.patch == 0;
    if (is_zero && wildcard != Wildcard::minor && wildcard != Wildcard::patch) return true;
    return v.major == version.major && (v.minor == version.minor || wildcard == Wildcard::minor);
}

bool Constraints::Constraint::in_caret(const Version& v) const {
    if (v < version) return false;
    if (version.major > 0 || wildcard == Wildcard::minor) return v.major == version.major;
    if (v.major > 0) return false;
    if (version.minor > 0 || wildcard == Wildcard::patch) return v.minor == version.minor;
    return v.minor == 0 && v.patch == version.patch;
}

bool Constraints::check(const Version& version) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
        return !group.refuses_prerelease(version) &&
               std::all_of(group.constraints.begin(), group.constraints.end(),
                           [&](const Constraint& c) { return c.holds(version); });
    });
}

std::vector<std::string> Constraints::why_not(const Version& version) const {
    std::vector<std::string> reasons;
    for (const Group& group : groups_) {
        const auto failing = std::find_if_not(group.constraints.begin(), group.constraints.end(),
                                              [&](const Constraint& c) { return c.holds(version); });
        if (failing != group.constraints.end())
            reasons.push_back(failing->text);
        else
            reasons.push_back(group.constraints.front().text + " (takes no prereleases)");
    }
    return reasons;
}

} // namespace opcat::semver

// `NewConstraint`: hyphen ranges are rewritten as text, in the whole text, before it is split into groups.
namespace opcat::semver {
namespace {

// The parts of constraints, for which the library has regular expressions. In the places where they occur
// there is only one way to match, so no backtracking is needed.

// Go's \s, which does not include the vertical tab.
constexpr bool is_regexp_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

struct WrittenVersion {
    std::string_view text;       // all of it
    std::string_view numbers[3]; // as written: digits, x, X, * or |; the second and third may be empty
    std::string_view prerelease; // without its "-"
};

size_t end_of_number(std::string_view text, size_t at) {
    constexpr std::string_view characters = "0123456789|xX*";
    return std::min(text.size(), text.find_first_not_of(characters, at));
}

// Returns the end of the white space that begins at `at`.
size_t skip_space(std::string_view text, size_t at) {
    while (at < text.size() && is_regexp_space(text[at])) ++at;
    return at;
}

// The longest text of the characters of operators at `at`.
std::string_view operator_at(std::string_view text, size_t at) {
    const size_t end = std::min(text.size(), text.find_first_not_of("=!<>~^", at));
    return text.substr(at, end - at);
}

// Returns true if `text` is an operator; no operator at all is one.
bool is_operator(std::string_view text) {
    constexpr std::array<std::string_view, 12> operators = {
        "", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^"};
    return std::find(operators.begin(), operators.end(), text) != operators.end();
}

// Returns the end of the "-rc.1+build" that begins at `at`; `at` if there is none.
size_t end_of_suffixes(std::string_view text, size_t at) {
    for (const char mark : {'-', '+'}) {
        if (at == text.size() || text[at] != mark) continue;
        const size_t end = end_of_identifiers(text, at + 1);
        if (end > at + 1) at = end;
    }
    return at;
}

// The longest version at `at`; nothing if none begins there.
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

// "1.2 - 1.4" with the white space around it.
struct HyphenRange {
    std::string_view text;
    std::string_view low, high;
};

std::optional<HyphenRange> hyphen_range_at(std::string_view text, size_t begin) {
    const size_t low_at = skip_space(text, begin);
    const auto low = version_at(text, low_at);
    if (!low) return std::nullopt;
    const size_t low_end = low_at + low->text.size();
    const size_t hyphen = skip_space(text, low_end);
    if (hyphen == low_end || hyphen == text.size() || text[hyphen] != '-') return std::nullopt;
    const size_t high_at = skip_space(text, hyphen + 1);
    if (high_at == hyphen + 1) return std::nullopt;
    const auto high = version_at(text, high_at);
    if (!high) return std::nullopt;
    const size_t end = skip_space(text, high_at + high->text.size());
    return HyphenRange{text.substr(begin, end - begin), low->text, high->text};
}

std::vector<HyphenRange> find_hyphen_ranges(std::string_view text) {
    std::vector<HyphenRange> ranges;
    for (size_t at = text.find('-') == text.npos ? text.size() : 0; at < text.size();) {
        const auto range = hyphen_range_at(text, at);
        at += range ? range->text.size() : 1;
        if (range) ranges.push_back(*range);
    }
    return ranges;
}

// A text, and the place of each of its bytes in the user's.
class RewrittenText {
public:
    explicit RewrittenText(std::string_view original) : text_(original) {
        for (const HyphenRange& range : find_hyphen_ranges(original)) rewrite(range);
    }
    std::string_view text() const { return text_; }
    size_t origin(size_t at) const { return at < origins_.size() ? origins_[at] : at; }

private:
    // As ">= low, <= high ", where its text is first: that may be inside of an earlier constraint.
    void rewrite(const HyphenRange& range) {
        if (origins_.empty())
            for (size_t i = 0; i <= text_.size(); ++i) origins_.push_back(i);
        const size_t begin = text_.find(range.text);
        if (begin == text_.npos) return;
        const std::string by = fmt::format(">= {}, <= {} ", range.low, range.high);
        const size_t low_at = 3;
        const size_t high_at = low_at + range.low.size() + 5;
        std::vector<size_t> origins(by.size(), origins_[begin]);
        for (const auto& [part, at] : {std::pair(range.low, low_at), std::pair(range.high, high_at)}) {
            const size_t offset = begin + static_cast<size_t>(part.data() - range.text.data());
            for (size_t i = 0; i < part.size(); ++i) origins[at + i] = origins_[offset + i];
        }
        text_.replace(begin, range.text.size(), by);
        const auto place = origins_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto after = origins_.erase(place, place + static_cast<std::ptrdiff_t>(range.text.size()));
        origins_.insert(after, origins.begin(), origins.end());
    }

    std::string text_;
    std::vector<size_t> origins_; // empty: all where they were
};

bool is_wildcard(std::string_view number) {
    return number.empty() || number == "x" || number == "X" || number == "*";
}

} // namespace

class ConstraintsParser {
public:
    explicit ConstraintsParser(std::string_view text) : rewritten_(text), text_(rewritten_.text()) {}

    Parsed<Constraints> parse() {
        const std::vector<std::string_view> groups = split_groups();
        if (groups.size() > Constraints::max_groups)
            return error_at(groups[Constraints::max_groups],
                            fmt::format("too many constraint groups (max {})", Constraints::max_groups));
        // The form of a group is looked at before the numbers in it.
        for (const std::string_view group : groups)
            if (auto error = parse_group(group)) return *std::move(error);
        return std::move(constraints_);
    }

private:
    using Operator = Constraints::Operator;
    using Wildcard = Constraints::Wildcard;

    struct WrittenConstraint {
        std::string_view text, op;
        WrittenVersion version;
    };

    std::vector<std::string_view> split_groups() const {
        std::vector<std::string_view> groups;
        size_t begin = 0;
        for (size_t at = text_.find("||"); at != text_.npos; at = text_.find("||", begin)) {
            groups.push_back(text_.substr(begin, at - begin));
            begin = at + 2;
        }
        groups.push_back(text_.substr(begin));
        return groups;
    }

    std::optional<ParseError> parse_group(std::string_view group) {
        std::vector<WrittenConstraint> written;
        const auto improper_at = [&](size_t at) {
            return error_at(group.substr(at, 1), "improper constraint: " + go_quote(group));
        };
        size_t at = skip_space(group, 0);
        while (at < group.size() || written.empty()) {
            const size_t begin = at;
            const std::string_view op = operator_at(group, at);
            if (!is_operator(op)) return improper_at(at);
            at = skip_space(group, at + op.size());
            const auto version = version_at(group, at);
            if (!version) return improper_at(at);
            at += version->text.size();
            written.push_back({group.substr(begin, at - begin), op, *version});

            const size_t end = at;
            at = skip_space(group, at);
            if (at < group.size() && group[at] == ',') {
                at = skip_space(group, at + 1);
                if (at == group.size()) return improper_at(at);
            } else if (at == end && at < group.size()) {
                return improper_at(at);
            }
        }
        Constraints::Group parsed;
        for (const WrittenConstraint& constraint : written)
            if (auto error = add_constraint(constraint, parsed)) return error;
        constraints_.groups_.push_back(std::move(parsed));
        return std::nullopt;
    }

    std::optional<ParseError> add_constraint(const WrittenConstraint& written,
                                             Constraints::Group& group) const {
        const auto& [major, minor, patch] = written.version.numbers;
        const std::string_view prerelease = written.version.prerelease;
        const std::string suffix = prerelease.empty() ? std::string() : fmt::format("-{}", prerelease);
        Wildcard wildcard = Wildcard::none;
        std::string text(written.version.text);
        if (is_wildcard(major)) {
            wildcard = Wildcard::major;
            text = "0.0.0" + suffix;
        } else if (is_wildcard(minor)) {
            wildcard = Wildcard::minor;
            text = fmt::format("{}.0.0{}", major, suffix);
        } else if (is_wildcard(patch)) {
            wildcard = Wildcard::patch;
            text = fmt::format("{}.{}.0{}", major, minor, suffix);
        }
        auto version = Version::parse_coercing(text);
        if (!version) return error_at(written.version.text, "constraint parser error");
        group.takes_prereleases |= !version->prerelease.empty();
        group.constraints.push_back(
            {operator_of(written.op), wildcard, *std::move(version), std::string(written.text)});
        return std::nullopt;
    }

    static Operator operator_of(std::string_view text) {
        assert(is_operator(text));
        if (text == "!=") return Operator::not_equal;
        if (text == ">") return Operator::greater;
        if (text == "<") return Operator::less;
        if (text == ">=" || text == "=>") return Operator::greater_equal;
        if (text == "<=" || text == "=<") return Operator::less_equal;
        if (text == "~" || text == "~>") return Operator::tilde;
        if (text == "^") return Operator::caret;
        return Operator::equal;
    }

    // An error about `part`, a piece of the rewritten text.
    ParseError error_at(std::string_view part, std::string message) const {
        const auto offset = static_cast<size_t>(part.data() - text_.data());
        const size_t begin = rewritten_.origin(offset);
        const size_t end = part.empty() ? begin : rewritten_.origin(offset + part.size() - 1) + 1;
        return {std::move(message), begin, end > begin ? end - begin : 0};
    }

    RewrittenText rewritten_;
    std::string_view text_;
    Constraints constraints_;
};

Parsed<Constraints> Constraints::parse(std::string_view text) {
    if (text.size() > max_size)
        return error_about(text, text.substr(max_size),
                           fmt::format("constraint string is too long (max {} bytes)", max_size));
    return ConstraintsParser(text).parse();
}

namespace {

// The pattern for versions in the CustomResourceDefinition of ClusterExtension. Its mistakes are preserved,
// because it decides which requests are possible.
constexpr size_t longest_admitted = 64;

// Returns the end of a number without leading zeros, or of one of `wildcards`, that begins at `at`; `at` if
// there is none.
size_t end_of_number(std::string_view text, size_t at, std::initializer_list<std::string_view> wildcards) {
    if (at == text.size()) return at;
    if (text[at] == '0') return at + 1;
    if (is_digit(text[at])) return std::min(text.size(), text.find_first_not_of("0123456789", at));
    for (const std::string_view wildcard : wildcards)
        if (text.substr(at).starts_with(wildcard)) return at + wildcard.size();
    return at;
}

// The same for one with a dot before it.
size_t end_of_dotted(std::string_view text, size_t at, std::initializer_list<std::string_view> wildcards) {
    if (at == text.size() || text[at] != '.') return at;
    const size_t end = end_of_number(text, at + 1, wildcards);
    return end == at + 1 ? at : end;
}

// Returns the end of the version of the first comparison, or of a later one; nothing if none begins at `at`.
// Minor and patch may be missing, both or either: this is why "1.*" is accepted.
std::optional<size_t> end_of_version(std::string_view text, size_t at, bool first) {
    if (at < text.size() && text[at] == 'v') ++at;
    const size_t major_end =
        first ? end_of_number(text, at, {"x", "X", "*", "|"}) : end_of_number(text, at, {"x", "X", "*]"});
    if (major_end == at) return std::nullopt;
    if (first) {
        at = end_of_dotted(text, major_end, {"x", "X", "*]"});
        at = end_of_dotted(text, at, {"x", "X", "*"});
    } else {
        // Nothing follows a version with "]", so "*]" is a patch with no minor before it.
        at = text.substr(major_end).starts_with(".*]") ? major_end
                                                       : end_of_dotted(text, major_end, {"x", "X", "*"});
        at = end_of_dotted(text, at, {"x", "X", "*]"});
    }
    return end_of_suffixes(text, at);
}

} // namespace

bool is_admitted_by_cluster_extension(std::string_view text) {
    if (text.size() > longest_admitted) return false;
    size_t at = skip_space(text, 0);
    for (bool first = true;; first = false) {
        const std::string_view op = operator_at(text, at);
        if (!is_operator(op)) return false;
        const auto end = end_of_version(text, skip_space(text, at + op.size()), first);
        if (!end) return false;
        at = skip_space(text, *end);
        if (at == text.size()) return true;
        const std::string_view rest = text.substr(at);
        if (rest.starts_with(','))
            at = skip_space(text, at + 1);
        else if (rest.starts_with("||"))
            at = skip_space(text, at + 2);
        else if (at == *end)
            return false;
    }
}

} // namespace opcat::semver
