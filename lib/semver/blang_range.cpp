#include "opcat/semver/blang_range.hpp"

#include "opcat/base/go_quote.hpp"
#include "opcat/base/text.hpp"
#include "opcat/base/unicode.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace opcat::semver {

bool BlangRange::Comparator::holds(const Version& other) const {
    const auto order = other <=> version;
    switch (op) {
    case Operator::equal:
        return std::is_eq(order);
    case Operator::not_equal:
        return std::is_neq(order);
    case Operator::greater:
        return std::is_gt(order);
    case Operator::greater_equal:
        return std::is_gteq(order);
    case Operator::less:
        return std::is_lt(order);
    case Operator::less_equal:
        break;
    }
    return std::is_lteq(order);
}

std::vector<BlangRange::Comparator>::const_iterator BlangRange::begin_of(size_t alternative) const {
    return comparators_.begin() + static_cast<std::ptrdiff_t>(alternative == 0 ? 0 : ends_[alternative - 1]);
}

std::vector<BlangRange::Comparator>::const_iterator BlangRange::end_of(size_t alternative) const {
    return comparators_.begin() + static_cast<std::ptrdiff_t>(ends_[alternative]);
}

std::vector<BlangRange::Comparator>::const_iterator BlangRange::first_failing(size_t alternative,
                                                                              const Version& version) const {
    return std::find_if_not(begin_of(alternative), end_of(alternative),
                            [&](const Comparator& c) { return c.holds(version); });
}

BlangRange::Answer BlangRange::ask(const Version& version) const {
    for (size_t i = 0; i < ends_.size(); ++i) {
        if (begin_of(i) == end_of(i)) return Answer::crash;
        if (first_failing(i, version) == end_of(i)) return Answer::yes;
    }
    return Answer::no;
}

// Both ends and all equal versions of each alternative are compared.
bool BlangRange::is_impossible() const {
    const auto is_lower_end = [](Operator op) {
        return op == Operator::greater || op == Operator::greater_equal;
    };
    const auto excludes = [&](const Comparator& a, const Comparator& b) {
        if (a.op == Operator::equal) return !b.holds(a.version);
        if (!is_lower_end(a.op) || (b.op != Operator::less && b.op != Operator::less_equal)) return false;
        const auto order = a.version <=> b.version;
        return std::is_gt(order) ||
               (std::is_eq(order) && (a.op == Operator::greater || b.op == Operator::less));
    };
    constexpr std::ptrdiff_t most = 16; // comparators of an alternative: each is compared with each
    for (size_t i = 0; i < ends_.size(); ++i) {
        const auto begin = begin_of(i);
        const auto end = end_of(i);
        if (begin == end || end - begin > most) return false;
        const bool is_empty = std::any_of(begin, end, [&](const Comparator& a) {
            return std::any_of(begin, end, [&](const Comparator& b) { return excludes(a, b); });
        });
        if (!is_empty) return false;
    }
    return !ends_.empty();
}

namespace {

// The version that comes right after another one, build metadata apart.
Version next_version(Version version) {
    version.build.clear();
    if (version.prerelease.empty()) ++version.patch;
    version.prerelease += version.prerelease.empty() ? "0" : ".0";
    return version;
}

} // namespace

// Between two neighbours of all versions that the two ranges name, both answer the same for all versions.
bool BlangRange::covers(const BlangRange& other) const {
    constexpr size_t most = 256; // comparators: each is asked about each
    if (comparators_.size() + other.comparators_.size() > most) return false;
    std::vector<Version> samples{{.prerelease = "0", .build = {}}};
    for (const auto* all : {&comparators_, &other.comparators_})
        for (const Comparator& comparator : *all) {
            samples.push_back(comparator.version);
            samples.push_back(next_version(comparator.version));
        }
    return std::ranges::all_of(
        samples, [&](const Version& version) { return !other.contains(version) || contains(version); });
}

void BlangRange::append_bounds(std::vector<Version>& versions) const {
    for (const Comparator& comparator : comparators_) {
        Version version = comparator.version;
        version.prerelease.clear();
        version.build.clear();
        versions.push_back(version);
        ++version.patch;
        versions.push_back(std::move(version));
    }
}

std::string range_below(const std::string& range, const Version& bound) {
    const std::string below = "<" + bound.to_string();
    const auto all = BlangRange::parse(range);
    if (!all || BlangRange::parse(below)->covers(*all)) return range;
    std::string narrowed;
    constexpr std::string_view between = "||";
    for (std::string_view rest = range;;) {
        const size_t end = std::min(rest.find(between), rest.size());
        const std::string_view one = trim_white_space(rest.substr(0, end));
        const std::string part = fmt::format("{} {}", one, below);
        const auto parsed = BlangRange::parse(part);
        // An alternative without comparators, which crashes OLM, is not to become all versions below the
        // bound.
        if (BlangRange::parse(one) && parsed && !parsed->is_impossible())
            narrowed += (narrowed.empty() ? "" : " || ") + part;
        if (end == rest.size()) return narrowed;
        rest.remove_prefix(end + between.size());
    }
}

std::string joined_ranges(const std::string& range, const std::string& other) {
    if (range.empty()) return other;
    const auto first = BlangRange::parse(range);
    const auto second = BlangRange::parse(other);
    if (other.empty() || !first || !second || first->covers(*second)) return range;
    if (second->covers(*first)) return other;
    return range + " || " + other;
}

namespace {

// Sorts the intervals and joins those that meet.
void join(std::vector<RankInterval>& intervals) {
    std::ranges::sort(intervals, {}, &RankInterval::begin);
    size_t joined = 0;
    for (const RankInterval interval : intervals) {
        if (joined > 0 && interval.begin <= intervals[joined - 1].end)
            intervals[joined - 1].end = std::max(intervals[joined - 1].end, interval.end);
        else
            intervals[joined++] = interval;
    }
    intervals.resize(joined);
}

} // namespace

std::vector<RankInterval>
BlangRange::ranks_in(size_t count, const std::function<const Version&(size_t)>& version_at) const {
    // The first rank whose version is not below `version`, or is above it.
    const auto first_rank = [&](const Version& version, bool above) {
        size_t begin = 0;
        for (size_t end = count; begin < end;) {
            const size_t rank = begin + (end - begin) / 2;
            const bool is_before = above ? !(version < version_at(rank)) : version_at(rank) < version;
            (is_before ? begin : end) = is_before ? rank + 1 : rank;
        }
        return static_cast<uint32_t>(begin);
    };
    std::vector<RankInterval> all;
    for (size_t i = 0; i < ends_.size(); ++i) {
        if (begin_of(i) == end_of(i)) break; // the original crashes
        uint32_t begin = 0;
        auto end = static_cast<uint32_t>(count);
        std::vector<RankInterval> excluded;
        for (auto comparator = begin_of(i); comparator != end_of(i); ++comparator) {
            const Operator op = comparator->op;
            const uint32_t from = first_rank(comparator->version, false);
            const uint32_t after = first_rank(comparator->version, true);
            if (op == Operator::not_equal) {
                if (from < after) excluded.push_back({from, after});
                continue;
            }
            if (op == Operator::equal || op == Operator::greater_equal) begin = std::max(begin, from);
            if (op == Operator::equal || op == Operator::less_equal) end = std::min(end, after);
            if (op == Operator::greater) begin = std::max(begin, after);
            if (op == Operator::less) end = std::min(end, from);
        }
        join(excluded);
        for (const RankInterval gap : excluded) {
            if (gap.begin >= end) break;
            if (begin < gap.begin) all.push_back({begin, gap.begin});
            begin = std::max(begin, gap.end);
        }
        if (begin < end) all.push_back({begin, end});
    }
    join(all);
    return all;
}

std::vector<std::string> BlangRange::why_not(const Version& version) const {
    constexpr std::string_view operators[] = {"=", "!=", ">", ">=", "<", "<="};
    std::vector<std::string> reasons;
    for (size_t i = 0; i < ends_.size(); ++i) {
        const auto failing = first_failing(i, version);
        if (failing == end_of(i)) break;
        reasons.push_back(std::string(operators[static_cast<size_t>(failing->op)]) +
                          failing->version.to_string());
    }
    return reasons;
}

namespace {

struct Token {
    std::string text;
    std::string_view source; // of the range
    bool is_verbatim = true; // `text` is `source` without its blanks
};

bool is_or(const Token& token) {
    return token.text == "||";
}

// Blanks separate tokens except after > < =, and tokens of a single byte are dropped.
std::vector<Token> split_into_tokens(std::string_view text) {
    std::vector<Token> tokens;
    size_t begin = 0;
    const auto finish = [&](size_t end) {
        if (end < begin + 2) return;
        const std::string_view source = text.substr(begin, end - begin);
        Token token{std::string(source), source};
        token.text.erase(std::remove(token.text.begin(), token.text.end(), ' '), token.text.end());
        tokens.push_back(std::move(token));
    };
    char previous = '\0'; // the last byte that is not a blank, also of an earlier token
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != ' ') {
            previous = text[i];
        } else if (previous != '>' && previous != '<' && previous != '=') {
            finish(i);
            begin = i + 1;
        }
    }
    finish(text.size());
    return tokens;
}

struct OperatorAndVersion {
    std::string_view op, version;
};

// The version begins at the first digit of any script; nothing if there is none.
std::optional<OperatorAndVersion> split_at_digit(std::string_view token) {
    for (size_t at = 0; at < token.size();) {
        const size_t length = utf8_sequence_length(token.substr(at));
        if (length > 0 && is_decimal_digit(decode_utf8(token.substr(at, length))))
            return OperatorAndVersion{trim_white_space(token.substr(0, at)), token.substr(at)};
        at += std::max<size_t>(1, length);
    }
    return std::nullopt;
}

void replace_first(std::string& text, std::string_view what, std::string_view by) {
    if (const size_t at = text.find(what); at != text.npos) text.replace(at, what.size(), by);
}

// Which part of a version the wildcard lets vary; the part before it is the one to count up.
enum class Wildcard : uint8_t { none, patch, minor };

Wildcard wildcard_of(std::string_view version) {
    const auto dots = std::count(version.begin(), version.end(), '.');
    if (dots == 0 || dots > 2 || version.substr(version.rfind('.') + 1) != "x") return Wildcard::none;
    return dots == 2 ? Wildcard::patch : Wildcard::minor;
}

// The lowest version that the wildcard stands for.
std::string flatten(std::string_view version) {
    std::string flat(version);
    replace_first(flat, ".x.x", ".x");
    replace_first(flat, ".x", ".0");
    if (std::count(flat.begin(), flat.end(), '.') == 1) flat += ".0";
    return flat;
}

// As a signed number of 64 bits, which wraps around; nothing if `part` is not a number.
std::optional<std::string> count_up(std::string_view part) {
    if (part.starts_with('+')) {
        part.remove_prefix(1);
        if (part.starts_with('-')) return std::nullopt;
    }
    int64_t number = 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return std::to_string(static_cast<int64_t>(static_cast<uint64_t>(number) + 1));
}

// The version after all that the wildcard matches; "" if it is unbounded.
std::string next_after(const std::string& flat, Wildcard wildcard) {
    if (wildcard == Wildcard::none) return {};
    const size_t begin = wildcard == Wildcard::patch ? flat.find('.') + 1 : 0;
    const size_t end = std::min(flat.size(), flat.find('.', begin));
    const auto number = count_up(std::string_view(flat).substr(begin, end - begin));
    return number ? flat.substr(0, begin) + *number + flat.substr(end) : std::string();
}

// Puts what the token with a wildcard stands for at the end of `tokens`.
void expand(const Token& token, const OperatorAndVersion& parts, std::vector<Token>& tokens) {
    const std::string flat = flatten(parts.version);
    const std::string next = next_after(flat, wildcard_of(parts.version));
    const auto put = [&](std::string text) { tokens.push_back({std::move(text), token.source, false}); };
    const std::string_view op = parts.op;
    if (op == ">") {
        put(">=" + next);
    } else if (op == ">=" || op == "<") {
        put(std::string(op) + flat);
    } else if (op == "<=") {
        put("<" + next);
    } else if (op.empty() || op == "=" || op == "==") {
        put(">=" + flat);
        put("<" + next);
    } else if (op == "!=" || op == "!") {
        put("<" + flat); // both must hold, which no version does
        put(">=" + next);
    } else {
        put(flat); // whatever the operator is
    }
}

} // namespace

// The stages of `ParseRange`: tokens, alternatives, wildcards, comparators. The error of the earliest stage
// wins, independently of its place.
class BlangRangeParser {
public:
    using Operator = BlangRange::Operator;

    explicit BlangRangeParser(std::string_view text) : text_(text), tokens_(split_into_tokens(text)) {}

    Parsed<BlangRange> parse() {
        if (auto error = check_alternatives()) return *std::move(error);
        if (auto error = expand_wildcards()) return *std::move(error);
        for (const Token& token : tokens_) {
            if (is_or(token)) {
                finish_alternative(token);
            } else if (auto error = add_comparator(token)) {
                return *std::move(error);
            }
        }
        range_.ends_.push_back(range_.comparators_.size());
        return std::move(range_);
    }

private:
    std::optional<ParseError> check_alternatives() const {
        if (!tokens_.empty() && is_or(tokens_.front()))
            return error_about(text_, tokens_.front().source, "First element in range is '||'");
        if (tokens_.empty()) return ParseError{"Last element in range is '||'", text_.size(), 0};
        if (is_or(tokens_.back()))
            return error_about(text_, tokens_.back().source, "Last element in range is '||'");
        return std::nullopt;
    }

    std::optional<ParseError> expand_wildcards() {
        const auto has_x = [](const Token& token) { return token.text.find('x') != token.text.npos; };
        if (std::none_of(tokens_.begin(), tokens_.end(), has_x)) return std::nullopt;
        std::vector<Token> expanded;
        for (Token& token : tokens_) {
            if (!has_x(token)) {
                expanded.push_back(std::move(token));
                continue;
            }
            const auto parts = split_at_digit(token.text);
            if (!parts) return no_version(token);
            expand(token, *parts, expanded);
        }
        tokens_ = std::move(expanded);
        return std::nullopt;
    }

    void finish_alternative(const Token& or_token) {
        const size_t end = range_.comparators_.size();
        if (!range_.ends_.empty() && range_.ends_.back() == end && range_.offset_of_crash_ == 0)
            range_.offset_of_crash_ = static_cast<size_t>(or_token.source.data() - text_.data());
        range_.ends_.push_back(end);
    }

    std::optional<ParseError> add_comparator(const Token& token) {
        const auto parts = split_at_digit(token.text);
        if (!parts) return no_version(token);
        const std::string both = std::string(parts->op).append(parts->version);
        const auto could_not = [&](const std::string& what) {
            return fmt::format("Could not parse Range {}: Could not parse {} in {}", go_quote(token.text),
                               what, go_quote(both));
        };
        const auto op = operator_of(parts->op);
        if (!op) return error_in(token, parts->op, could_not("comparator " + go_quote(parts->op)));
        auto version = Version::parse(parts->version);
        if (!version) {
            const ParseError& error = version.error();
            return error_in(token, parts->version.substr(error.offset, error.length),
                            could_not("version " + go_quote(parts->version)) + ": " + error.message);
        }
        range_.comparators_.push_back({*op, *std::move(version)});
        return std::nullopt;
    }

    static std::optional<Operator> operator_of(std::string_view text) {
        constexpr std::pair<std::string_view, Operator> operators[] = {
            {"", Operator::equal},      {"=", Operator::equal},          {"==", Operator::equal},
            {">", Operator::greater},   {">=", Operator::greater_equal}, {"<", Operator::less},
            {"!", Operator::not_equal}, {"!=", Operator::not_equal},     {"<=", Operator::less_equal},
        };
        for (const auto& [name, op] : operators)
            if (name == text) return op;
        return std::nullopt;
    }

    ParseError no_version(const Token& token) const {
        return error_about(text_, token.source, "Could not get version from string: " + go_quote(token.text));
    }

    // An error about `part`, a piece of the token's text.
    ParseError error_in(const Token& token, std::string_view part, std::string message) const {
        if (!token.is_verbatim) return error_about(text_, token.source, std::move(message));
        // Steps over the blanks of the source, which the text no longer has.
        const auto source_offset = [&](size_t in_text) {
            size_t at = 0;
            for (; at < token.source.size(); ++at)
                if (token.source[at] != ' ' && in_text-- == 0) break;
            return at;
        };
        const size_t begin = source_offset(static_cast<size_t>(part.data() - token.text.data()));
        const size_t end = begin + part.size(); // no blanks inside a version in all but odd cases
        return error_about(text_, token.source.substr(begin, end - begin), std::move(message));
    }

    std::string_view text_;
    std::vector<Token> tokens_;
    BlangRange range_;
};

Parsed<BlangRange> BlangRange::parse(std::string_view text) {
    return BlangRangeParser(text).parse();
}

} // namespace opcat::semver
