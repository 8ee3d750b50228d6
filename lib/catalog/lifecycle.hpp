// Lifecycles: how long the versions of an operator are supported, and on which platforms. They are blobs of
// the schema io.openshift.operators.lifecycles.v1alpha1 (docs/spec/lifecycles.md), which opm does not know:
// they keep their bytes.
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opcat {

namespace schema {
constexpr std::string_view lifecycles = "io.openshift.operators.lifecycles.v1alpha1";
} // namespace schema

using Date = std::chrono::year_month_day;

// "2026-01-31"; nothing for all else, and for days that no month has.
std::optional<Date> read_date(std::string_view text);
std::string date_text(Date date);

struct LifecyclePhase {
    Text name;
    Text start_text;
    Text end_text;
    std::optional<Date> start; // its first day; nothing: missing, or not a date
    std::optional<Date> end;   // its last day
    uint32_t offset = 0;
};

struct LifecyclePlatform {
    Text name; // "openshift"
    std::vector<Text> versions;
};

struct LifecycleVersion {
    Text name; // "4.12": the major and the minor version of bundles
    std::vector<LifecyclePhase> phases;
    std::optional<Date> last_day;             // of all phases; nothing: there are none, or one cannot be read
    std::vector<LifecyclePlatform> platforms; // none: not declared
    std::vector<uint32_t> unreadable;         // where platforms, or versions of theirs, have the wrong type
    uint32_t offset = 0;

    // The versions of all platforms that are called so.
    std::vector<std::string_view> versions_of(std::string_view platform) const;
};

struct Lifecycle {
    const OtherBlob* blob = nullptr;
    bool has_versions = false; // the field is a list
    std::vector<LifecycleVersion> versions;

    std::unordered_map<std::string, size_t> by_name; // of `versions`; of equal names the first

    // Returns the entry for a major and minor version of bundles; nullptr if there is none.
    const LifecycleVersion* find(uint64_t major, uint64_t minor) const;
};

// Returns true for "4.12": two numbers without leading zeros.
bool is_minor_version(std::string_view text);

// Fields of the wrong type are empty. Refers to the blob.
Lifecycle read_lifecycle(const OtherBlob& blob);

// The first blob of the package; nothing if there is none.
std::optional<Lifecycle> lifecycle_of(const Catalog& catalog, std::string_view package);

// The phase of a version on a certain day.
struct Support {
    enum class State : uint8_t {
        unknown,   // there are no phases, or one lacks a day or ends before it begins
        not_begun, // the first phase begins later
        supported, // in `phase`
        ended      // after the last phase
    };
    State state = State::unknown;
    const LifecyclePhase* phase = nullptr; // with `supported`; the latest to begin, if they overlap
    std::optional<Date> begins;            // the first day of all phases
    std::optional<Date> ends;              // the last day of all phases
};
Support support_at(const LifecycleVersion& version, Date date);

// What a version declares about a minor version of OpenShift.
enum class Compatibility : uint8_t {
    undeclared, // it names no versions of OpenShift
    unknown,    // a part of what it declares cannot be read
    declared,
    left_out // it names others
};
// `openshift`: all spellings of that version (4.23 is 5.0).
Compatibility compatibility(const LifecycleVersion& version,
                            std::initializer_list<std::string_view> openshift);

} // namespace opcat
