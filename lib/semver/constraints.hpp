// Ranges of versions as users of OLM v1 write them (`spec.source.catalog.version`): Masterminds/semver v3.5.0
// `NewConstraint`, with all that is odd about it.
#pragma once

#include "opcat/semver/version.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::semver {

// Groups, separated by "||", of constraints that must all hold. A prerelease is only let in by a group that
// names one in some constraint. docs/semver.md says what else surprises.
class Constraints {
public:
    static constexpr size_t max_size = 512; // bytes
    static constexpr size_t max_groups = 32;

    static Parsed<Constraints> parse(std::string_view text);

    // Whether a version, read by either library, is one of those asked for. Allocates nothing.
    bool check(const Version& version) const;

    // For each group, what rules the version out: a constraint in the user's words, or that the group takes
    // no prereleases. For a version that is not asked for.
    std::vector<std::string> why_not(const Version& version) const;

private:
    friend class ConstraintsParser;

    enum class Operator : uint8_t {
        equal,
        not_equal,
        greater,
        less,
        greater_equal,
        less_equal,
        tilde,
        caret
    };
    enum class Wildcard : uint8_t { none, major, minor, patch }; // the first number that is left open

    struct Constraint {
        Operator op;
        Wildcard wildcard;
        Version version; // numbers left open are 0
        std::string text;

        bool holds(const Version& v) const;

    private:
        bool not_equal_with_wildcard(const Version& v) const;
        bool greater_with_wildcard(const Version& v) const;
        bool less_equal_with_wildcard(const Version& v) const;
        bool in_tilde(const Version& v) const;
        bool in_caret(const Version& v) const;
    };
    struct Group {
        std::vector<Constraint> constraints;
        bool takes_prereleases = false;

        bool refuses_prerelease(const Version& v) const {
            return !v.prerelease.empty() && !takes_prereleases;
        }
    };

    std::vector<Group> groups_;
};

// Whether the API server takes `text` as the version of a ClusterExtension: at most 64 bytes of a pattern
// that leaves out some of what `Constraints::parse` takes (hyphen ranges, leading zeros, "1.*.*") and lets
// pass some that it does not ("1.*]").
bool is_admitted_by_cluster_extension(std::string_view text);

} // namespace opcat::semver
