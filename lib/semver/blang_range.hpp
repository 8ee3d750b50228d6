// Ranges of versions as in `skipRange` of catalogs: blang/semver v4 `ParseRange`, bug for bug.
#pragma once

#include "opcat/semver/version.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::semver {

// The places [begin, end) in a sorted list of versions.
struct RankInterval {
    uint32_t begin;
    uint32_t end;
};

// Alternatives, separated by "||", of comparators that must all hold. Prereleases are ordinary versions:
// ">=1.0.0 <2.0.0" contains 2.0.0-rc.1. docs/semver.md lists other surprises.
class BlangRange {
public:
    // Linear in time and space.
    static Parsed<BlangRange> parse(std::string_view text);

    // The original's result for a version; `crash` is a nil dereference, which an alternative without
    // comparators causes ("1.2.3 || || 2.0.0") unless an earlier one contains the version.
    enum class Answer : uint8_t { no, yes, crash };
    Answer ask(const Version& version) const;

    // Returns true if the range contains the version. Does not allocate.
    bool contains(const Version& version) const { return ask(version) == Answer::yes; }

    // For each alternative up to where the original would crash, the first comparator that does not hold, as
    // ">=1.2.0". For a version that is not contained.
    std::vector<std::string> why_not(const Version& version) const;

    // Which of `count` ascending versions the range contains: intervals that are ascending, disjoint, not
    // adjacent and not empty. O(k log(k * count)) for k comparators.
    std::vector<RankInterval> ranks_in(size_t count,
                                       const std::function<const Version&(size_t)>& version_at) const;

    // Returns true if certainly no version is in the range, such as ">=2.0.0 <1.0.0".
    bool is_impossible() const;

    // Returns true if it certainly contains every version that the other one contains.
    bool covers(const BlangRange& other) const;

    // Adds the released versions at which the answer may begin or end to differ, in no order.
    void append_bounds(std::vector<Version>& versions) const;

    // The place of an alternative without comparators in the text, for messages.
    size_t offset_of_crash() const { return offset_of_crash_; }

private:
    friend class BlangRangeParser;

    enum class Operator : uint8_t { equal, not_equal, greater, greater_equal, less, less_equal };
    struct Comparator {
        Operator op;
        Version version;
        bool holds(const Version& other) const;
    };

    // The comparator of an alternative that does not hold, or its end.
    std::vector<Comparator>::const_iterator first_failing(size_t alternative, const Version& version) const;
    std::vector<Comparator>::const_iterator begin_of(size_t alternative) const;
    std::vector<Comparator>::const_iterator end_of(size_t alternative) const;

    std::vector<Comparator> comparators_; // of all alternatives
    std::vector<size_t> ends_;            // of each alternative in them
    size_t offset_of_crash_ = 0;
};

// The text of a range that contains what these two contain: one of them where that does. An empty text
// contains nothing; one that does not parse is not joined to the other.
std::string joined_ranges(const std::string& range, const std::string& other);
// The text of a range that contains those of its versions that are lower than `bound`; empty: none.
std::string range_below(const std::string& range, const Version& bound);

} // namespace opcat::semver
