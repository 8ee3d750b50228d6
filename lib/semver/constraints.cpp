#include "semver/constraints.hpp"

#include <algorithm>

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
        return in_caret(v);
    }
    return false;
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
    if (v.major != version.major) return v.major > version.major;
    if (wildcard == Wildcard::minor) return false;
    if (wildcard == Wildcard::patch) return v.minor > version.minor;
    return v > version;
}

// Whatever the patch number is.
bool Constraints::Constraint::less_equal_with_wildcard(const Version& v) const {
    if (v.major != version.major) return v.major < version.major;
    return v.minor <= version.minor || wildcard == Wildcard::minor;
}

bool Constraints::Constraint::in_tilde(const Version& v) const {
    if (v < version) return false;
    // Meant for "*", but "~0.0.0" cannot be told from it and is everything too.
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
