#include "opcat/policy/python_versions.hpp"

#include "opcat/base/text.hpp"
#include "opcat/semver/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <tuple>

namespace opcat::policy {
namespace {

// Digits, and at least one.
bool is_number(std::string_view text) {
    return !text.empty() && semver::is_all_digits(text);
}

bool is_identifier_text(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || c == '-' || c == '.';
    });
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
    std::vector<std::string> parts;
    while (true) {
        const size_t at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + separator.size());
    }
}

uint64_t number_of_digits(std::string_view text) {
    uint64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    return result.ec == std::errc() ? number : std::numeric_limits<uint64_t>::max() / 2;
}

PythonError value_error(const std::string& message) {
    return {"ValueError", message};
}

bool identifiers_before(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i] == b[i]) continue;
        const bool number = is_number(a[i]);
        if (number != is_number(b[i])) return number;
        if (!number) return a[i] < b[i];
        return std::tuple(a[i].size(), a[i]) < std::tuple(b[i].size(), b[i]);
    }
    return a.size() < b.size();
}

// The parts of "1.2.3-rc.1+build": numbers, then what follows '-' and '+'.
struct Pieces {
    std::vector<std::string> numbers;
    std::optional<std::string> prerelease, build;
};

Pieces pieces_of(std::string_view text) {
    Pieces pieces;
    if (const size_t plus = text.find('+'); plus != std::string_view::npos) {
        pieces.build = text.substr(plus + 1);
        text = text.substr(0, plus);
    }
    if (const size_t dash = text.find('-'); dash != std::string_view::npos) {
        pieces.prerelease = text.substr(dash + 1);
        text = text.substr(0, dash);
    }
    pieces.numbers = split(text, ".");
    return pieces;
}

void check_identifiers(const std::vector<std::string>& identifiers, bool zeroes) {
    for (const std::string& one : identifiers) {
        if (one.empty())
            throw value_error(fmt::format("Invalid empty identifier '' in {}",
                                          python_repr(fmt::format("{}", fmt::join(identifiers, ".")))));
        if (!zeroes && one.size() > 1 && one[0] == '0' && is_number(one))
            throw value_error(fmt::format("Invalid leading zero in identifier {}", python_repr(one)));
    }
}

} // namespace

bool PythonVersion::before(const PythonVersion& other) const {
    const auto numbers = std::tie(major, minor, patch);
    const auto others = std::tie(other.major, other.minor, other.patch);
    if (numbers != others) return numbers < others;
    if (prerelease.empty() || other.prerelease.empty())
        return !prerelease.empty() && other.prerelease.empty();
    return identifiers_before(prerelease, other.prerelease);
}

PythonVersion semantic_version(std::string_view text) {
    if (text.empty()) throw value_error("Invalid empty version string: ''");
    // `$` also matches before a line break at the end.
    const std::string_view bare = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
    const Pieces pieces = pieces_of(bare);
    const auto is_part = [](const std::optional<std::string>& part) {
        return !part || (!part->empty() && is_identifier_text(*part));
    };
    if (pieces.numbers.size() != 3 || !std::all_of(pieces.numbers.begin(), pieces.numbers.end(), is_number) ||
        !is_part(pieces.prerelease) || !is_part(pieces.build))
        throw value_error("Invalid version string: " + python_repr(text));
    constexpr std::string_view names[] = {"major", "minor", "patch"};
    for (size_t i = 0; i < 3; ++i)
        if (pieces.numbers[i].size() > 1 && pieces.numbers[i][0] == '0')
            throw value_error(fmt::format("Invalid leading zero in {}: {}", names[i], python_repr(text)));
    PythonVersion version{number_of_digits(pieces.numbers[0]), number_of_digits(pieces.numbers[1]),
                          number_of_digits(pieces.numbers[2])};
    if (pieces.prerelease) version.prerelease = split(*pieces.prerelease, ".");
    check_identifiers(version.prerelease, false);
    if (pieces.build) version.build = split(*pieces.build, ".");
    check_identifiers(version.build, true);
    return version;
}

NpmRange::NpmRange(std::string_view text) {
    for (const std::string& alternative : split(text, "||")) {
        const std::string_view stripped = python_strip(alternative);
        const std::string group(stripped.empty() ? ">=0.0.0" : stripped);
        Group comparators;
        if (const auto ends = split(group, " - "); ends.size() > 1) {
            if (ends.size() > 2) throw value_error("too many values to unpack (expected 2)");
            add_block(">=" + ends[0], text, comparators);
            add_block("<=" + ends[1], text, comparators);
        } else {
            for (const std::string& block : split(group, " ")) add_block(block, text, comparators);
        }
        add_group(std::move(comparators));
    }
}

void NpmRange::add_group(Group comparators) {
    Group of_prereleases;
    Group of_releases;
    for (const Comparator& one : comparators) {
        if (one.target.prerelease.empty()) {
            of_releases.push_back(one);
            continue;
        }
        PythonVersion bound = one.target.truncated();
        if (one.op == Operator::greater || one.op == Operator::greater_equal) {
            ++bound.patch;
            of_prereleases.push_back({Operator::less, bound, true});
        } else if (one.op != Operator::equal) {
            bound.patch = 0;
            of_prereleases.push_back({Operator::greater_equal, bound, true});
        }
        of_prereleases.push_back(one);
        of_releases.push_back({one.op, one.target.truncated()});
    }
    if (!of_prereleases.empty()) groups_.push_back(std::move(of_prereleases));
    groups_.push_back(std::move(of_releases));
}

void NpmRange::add_block(std::string_view block, std::string_view whole, Group& group) {
    const auto refuse = [&] {
        return value_error(
            fmt::format("Invalid NPM block in {}: {}", python_repr(whole), python_repr(block)));
    };
    std::string_view rest = block;
    if (rest.starts_with('v')) rest.remove_prefix(1);
    std::string_view prefix;
    for (const std::string_view one : {"<=", ">=", "<", ">", "=", "^", "~"})
        if (prefix.empty() && rest.starts_with(one)) prefix = one;
    rest.remove_prefix(prefix.size());
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    const Pieces pieces = pieces_of(rest);
    const auto is_part = [](std::string_view part) {
        return part == "x" || part == "X" || part == "*" ||
               (is_number(part) && (part.size() == 1 || part[0] != '0'));
    };
    const auto& parts = pieces.numbers;
    if (parts.size() > 3 || !std::all_of(parts.begin(), parts.end(), is_part) ||
        !is_identifier_text(pieces.prerelease.value_or("")) || !is_identifier_text(pieces.build.value_or("")))
        throw refuse();

    const auto number = [&](size_t i) {
        return i < parts.size() && is_number(parts[i]) ? std::optional(number_of_digits(parts[i]))
                                                       : std::nullopt;
    };
    const auto major = number(0);
    const auto minor = number(1);
    const auto patch = number(2);
    const bool is_equal = prefix.empty() || prefix == "=";
    const std::string prerelease = pieces.prerelease.value_or("");
    const std::string build = is_equal ? pieces.build.value_or("") : "";
    PythonVersion target{major.value_or(0), major ? minor.value_or(0) : 0,
                         major && minor ? patch.value_or(0) : 0};
    if (!major) {
        if (!is_equal && prefix != ">=") throw value_error("Invalid expression " + python_repr(block));
        prefix = ">=";
    } else if (minor && patch) {
        if (!prerelease.empty()) target.prerelease = split(prerelease, ".");
        if (!build.empty()) target.build = split(build, ".");
        check_identifiers(target.prerelease, false);
        check_identifiers(target.build, true);
    }
    if ((!major || !minor || !patch) && (!prerelease.empty() || !build.empty()))
        throw value_error("Invalid NPM spec: " + python_repr(block));

    // As semantic_version's next_major() and next_minor(): a prerelease of x.0.0 is followed by x.0.0.
    const auto next_major = [](const PythonVersion& v) {
        return PythonVersion{v.major + (!v.prerelease.empty() && v.minor == 0 && v.patch == 0 ? 0 : 1)};
    };
    const auto next_minor = [](const PythonVersion& v) {
        return PythonVersion{v.major, v.minor + (!v.prerelease.empty() && v.patch == 0 ? 0 : 1)};
    };
    const auto between = [&](const PythonVersion& high) {
        group.push_back({Operator::greater_equal, target});
        group.push_back({Operator::less, high});
    };
    if (prefix == "^") {
        const PythonVersion bare = target.truncated();
        if (target.major > 0 || (target.minor == 0 && !minor))
            between(next_major(bare));
        else if (target.minor > 0 || !patch)
            between(next_minor(bare));
        else
            between({bare.major, bare.minor, bare.patch + 1});
    } else if (prefix == "~") {
        between(minor ? next_minor(target) : next_major(target));
    } else if (prefix.empty() || prefix == "=") {
        if (!minor)
            between(next_major(target));
        else if (!patch)
            between(next_minor(target));
        else
            group.push_back({Operator::equal, target});
    } else if (prefix == ">") {
        if (!minor)
            group.push_back({Operator::greater_equal, next_major(target)});
        else if (!patch)
            group.push_back({Operator::greater_equal, next_minor(target)});
        else
            group.push_back({Operator::greater, target});
    } else if (prefix == ">=") {
        group.push_back({Operator::greater_equal, target});
    } else if (prefix == "<") {
        group.push_back({Operator::less, target});
    } else if (!minor) {
        group.push_back({Operator::less, next_major(target)});
    } else if (!patch) {
        group.push_back({Operator::less, next_minor(target)});
    } else {
        group.push_back({Operator::less_equal, target});
    }
}

bool NpmRange::Comparator::holds(PythonVersion version) const {
    if (target.build.empty()) version.build.clear();
    if (!version.prerelease.empty() && !any_prerelease && target.truncated() != version.truncated())
        return false;
    switch (op) {
    case Operator::equal:
        return version == target;
    case Operator::greater:
        return target.before(version);
    case Operator::greater_equal:
        return !version.before(target);
    case Operator::less:
        return version.before(target);
    case Operator::less_equal:
        return !target.before(version);
    }
    return false;
}

bool NpmRange::contains(const PythonVersion& version) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
        return std::all_of(group.begin(), group.end(),
                           [&](const Comparator& one) { return one.holds(version); });
    });
}

PythonVersion semver_version(std::string_view text, bool optional_minor_and_patch) {
    const auto refuse = [&] { return value_error(fmt::format("{} is not valid SemVer string", text)); };
    const std::string_view bare = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
    const Pieces pieces = pieces_of(bare);
    const auto is_plain_number = [](std::string_view part) {
        return is_number(part) && (part.size() == 1 || part[0] != '0');
    };
    const size_t count = pieces.numbers.size();
    if (count > 3 || (count < 3 && !optional_minor_and_patch) ||
        !std::all_of(pieces.numbers.begin(), pieces.numbers.end(), is_plain_number))
        throw refuse();
    const auto identifiers = [&](const std::optional<std::string>& part, bool zeroes) {
        std::vector<std::string> all;
        if (!part) return all;
        all = split(*part, ".");
        for (const std::string& one : all)
            if (one.empty() || !is_identifier_text(one) ||
                (!zeroes && one.size() > 1 && one[0] == '0' && is_number(one)))
                throw refuse();
        return all;
    };
    PythonVersion version;
    version.major = number_of_digits(pieces.numbers[0]);
    if (count > 1) version.minor = number_of_digits(pieces.numbers[1]);
    if (count > 2) version.patch = number_of_digits(pieces.numbers[2]);
    version.prerelease = identifiers(pieces.prerelease, false);
    version.build = identifiers(pieces.build, true);
    return version;
}

} // namespace opcat::policy
