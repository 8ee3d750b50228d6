// Ranges of versions as users of OLM v1 write them (`spec.source.catalog.version`): Masterminds/semver v3.5.0
// `NewConstraint`, bug for bug.
#pragma once

#include "opcat/semver/version.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::semver {

// Groups, separated by "||", of constraints that must all hold. Only a group with a prerelease in some
// constraint accepts prereleases. docs/semver.md lists other surprises.
class Constraints {
public:
    static constexpr size_t max_size = 512; // bytes
    static constexpr size_t max_groups = 32;

    static Parsed<Constraints> parse(std::string_view text);

    // Returns true if the range contains a version, parsed by either library. Does not allocate.
    bool check(const Version& version) const;

    // For each group, why it excludes the version: a constraint in the user's words, or that the group does
    // not accept prereleases. For a version that is not contained.
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
    enum class Wildcard : uint8_t { none, major, minor, patch }; // the first missing number

    struct Constraint {
        Operator op;
        Wildcard wildcard;
        Version version; // missing numbers are 0
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

// Returns true if the API server accepts `text` as the version of a ClusterExtension: at most 64 bytes of a
// pattern that excludes a part of what `Constraints::parse` accepts (hyphen ranges, leading zeros, "1.*.*")
// and accepts some texts that it does not ("1.*]").
bool is_admitted_by_cluster_extension(std::string_view text);

} // namespace opcat::semver
