// blang's forgiving grammar of versions: the text is put right, then read strictly.
#include "semver/version.hpp"
#include "support/unicode.hpp"

#include <algorithm>
#include <array>

namespace opcat::semver {
namespace {

// The text put right, and where in the given one its pieces stood.
class StraightText {
public:
    // One of the up to three parts between dots, which stood at `offset`: without leading zeros, but with one
    // if no digit would be left in front.
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
    for (; missing > 0; --missing) straight.append("0", offset_of(rest) + rest.size());

    auto version = parse(straight.text());
    if (version) return version;
    const ParseError& error = version.error();
    const size_t begin = std::min(text.size(), straight.origin(error.offset));
    const size_t end = std::min(text.size(), straight.origin(error.offset + error.length));
    return ParseError{error.message, begin, std::max(begin, end) - begin};
}

} // namespace opcat::semver
