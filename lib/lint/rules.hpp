// The rules of findings: one table for `opcat explain`, docs/rules.md and reports. Ids are stable.
#pragma once

#include "opcat/base/diagnostic.hpp"

#include <span>
#include <string_view>

namespace opcat {

// The blobs whose upgrades a rule is about.
enum class UpgradesOf : uint8_t { nothing, channel, package };

struct Rule {
    std::string_view id;
    Severity severity;
    std::string_view title;   // the fault, as a sentence without a full stop
    std::string_view why;     // what goes wrong then
    std::string_view example; // a piece of a catalog with the fault
    std::string_view fix;     // what to do
    // True if the rule compares blobs: if some did not load, a finding may be only a consequence.
    bool needs_whole_catalog = false;
    UpgradesOf about = UpgradesOf::nothing;
};

// In the order of the documentation: from reading to the graph.
std::span<const Rule> rules();

// Those about what the two OLMs make of catalogs and clusters: a part of rules().
std::span<const Rule> olm_rules();

// Those of bundle directories and images: the end of rules().
std::span<const Rule> bundle_rules();

// nullptr if the table does not have the rule.
const Rule* find_rule(std::string_view id);

} // namespace opcat
