// What a configuration amounts to, and the form of its file.
#pragma once

#include "opcat/lint/configuration.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// A setting of a rule, with what it is for.
struct EffectiveRule {
    std::string_view rule;
    std::string_view level;
    std::string scope; // packages and paths; empty: all
    std::string origin;
};

// For each rule in the order of precedence: the command line, overrides from the last to the first, the rules
// of the file, and the rule's default.
std::vector<EffectiveRule> effective_rules(const Configuration& configuration);

// The form of the file for editors: JSON Schema 2020-12.
std::string configuration_schema();

} // namespace opcat
