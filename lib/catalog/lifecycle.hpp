// Lifecycles: how long the versions of an operator are supported, and on which platforms. They are blobs of
// the schema io.openshift.operators.lifecycles.v1alpha1 (docs/spec/lifecycles.md), which opm does not know:
// they keep their bytes.
#pragma once

#include "opcat/catalog/catalog.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
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
    std::vector<LifecyclePlatform> platforms; // none: not declared
    uint32_t offset = 0;
};

struct Lifecycle {
    const OtherBlob* blob = nullptr;
    bool has_versions = false; // the field is a list
    std::vector<LifecycleVersion> versions;

    // Returns the entry for a major and minor version of bundles; nullptr if there is none.
    const LifecycleVersion* find(uint64_t major, uint64_t minor) const;
};

// Fields of the wrong type are empty. Refers to the blob.
Lifecycle read_lifecycle(const OtherBlob& blob);

// The first blob of the package; nothing if there is none.
std::optional<Lifecycle> lifecycle_of(const Catalog& catalog, std::string_view package);

// The phase of a version on a certain day.
struct Support {
    enum class State : uint8_t {
        unknown,   // there are no phases, or one lacks a date
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

// The last day of all phases; nothing: there are none, or one lacks a date.
std::optional<Date> last_day(const LifecycleVersion& version);

// Returns true if a version declares that it runs on a minor version of OpenShift, and nothing if it declares
// no versions. `openshift`: all spellings of that version (4.23 is 5.0).
std::optional<bool> is_compatible(const LifecycleVersion& version,
                                  std::initializer_list<std::string_view> openshift);

} // namespace opcat
