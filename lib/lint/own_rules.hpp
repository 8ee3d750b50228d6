// Rules that a project defines in .opcat.yaml: a condition in CEL over a blob.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/base/error.hpp"
#include "opcat/catalog/catalog.hpp"
#include "opcat/cel/program.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

struct OwnRule {
    static constexpr size_t most = 100;                 // in a file
    static constexpr size_t longest = size_t{8} * 1024; // bytes of a condition or a message

    std::string_view id; // of static duration, as findings need it
    std::string message;
    std::string condition;
    cel::Program program; // of the condition; has the type bool
    std::string origin;   // "FILE:LINE:COLUMN"
};

// Keeps one copy of each name until the program ends.
std::string_view kept_rule_id(std::string_view id);

// Lower-case letters, digits and "-", at most 64 bytes: what a project may call a rule or a query.
bool is_plain_name(std::string_view name);

// Why this cannot be the name of a rule; empty if it can: lower-case letters, digits and "-", not one of
// opcat's own, and at most 64 bytes.
std::string reason_against_own_rule(std::string_view id);

// The error is one text.
Result<cel::Program, std::string> compile_condition(std::string_view condition);

// A warning for each blob for which a condition is true, in the order of the catalog, and one where it
// has no value; levels are those of the configuration. All of them together read at most `most_steps` values;
// a finding of rule "limit" says where they stopped.
void check_own_rules(const Catalog& catalog, std::span<const OwnRule> rules, Diagnostics& out);

} // namespace opcat
