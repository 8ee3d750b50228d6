#include "semver/blang_range.hpp"

#include <algorithm>

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
        return std::is_lteq(order);
    }
    return false;
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

std::vector<const Version*> BlangRange::boundaries() const {
    std::vector<const Version*> versions;
    versions.reserve(comparators_.size());
    for (const Comparator& comparator : comparators_) versions.push_back(&comparator.version);
    return versions;
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

} // namespace opcat::semver
