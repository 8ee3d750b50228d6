// Versions and ranges as the two Python libraries of the official pipelines read them: semantic_version 2.10
// for the order of bundles and olm.skipRange, semver 3.0 for minKubeVersion and spec.version.
#pragma once

#include "opcat/policy/python_value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opcat::policy {

struct PythonVersion {
    uint64_t major = 0;
    uint64_t minor = 0;
    uint64_t patch = 0;
    std::vector<std::string> prerelease = {};
    std::vector<std::string> build = {}; // has no order, but two that differ are not equal

    bool operator==(const PythonVersion&) const = default;
    // 1.0.0-rc.1 before 1.0.0.
    bool before(const PythonVersion& other) const;
    PythonVersion without_build() const { return {major, minor, patch, prerelease}; }
    PythonVersion truncated() const { return {major, minor, patch}; }
};

// semantic_version.Version(text). Throws PythonError, a ValueError.
PythonVersion semantic_version(std::string_view text);

// semantic_version.NpmSpec(text): alternatives of comparators. A prerelease is in a range only if a
// comparator names a prerelease of the same numbers.
class NpmRange {
public:
    // Throws PythonError; a ValueError for a text that is no range.
    explicit NpmRange(std::string_view text);

    bool contains(const PythonVersion& version) const;

private:
    enum class Operator : uint8_t { equal, greater, greater_equal, less, less_equal };
    struct Comparator {
        Operator op;
        PythonVersion target;
        bool any_prerelease = false; // not only those of the target's numbers
        bool holds(PythonVersion version) const;
    };
    using Group = std::vector<Comparator>; // that all hold

    static void add_block(std::string_view block, std::string_view whole, Group& group);
    void add_group(Group comparators);

    std::vector<Group> groups_;
};

// semver.Version.parse(text): strict, or with `optional` minor and patch. Throws PythonError, a ValueError.
PythonVersion semver_version(std::string_view text, bool optional_minor_and_patch = false);

} // namespace opcat::policy
