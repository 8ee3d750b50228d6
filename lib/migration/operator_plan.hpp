// The parts of an operator's plan that do not ask whether it may move.
#pragma once

#include "opcat/migration/installed.hpp"
#include "opcat/migration/migration.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace opcat::migration {

// Holds back the operators that others require: OLM classic resolves an operator only as long as what it
// requires is installed by OLM classic, too. `plans` are those of `installed`, in the same order. Returns the
// order in which to move them: those that require an operator come before it.
std::vector<size_t> hold_back_required(const std::vector<InstalledOperator>& installed,
                                       std::vector<OperatorPlan>& plans);

struct Replaced {
    const InstalledOperator& installed;
    const std::optional<std::set<std::string>>& watched; // namespaces, none: all; nothing: not known
    const cluster::Object* condition;                    // its OperatorCondition; nullptr: there is none
    const CatalogPlan* catalog;                          // nullptr: it was not read
    const olmv1::OlmRelease& release;
};

// Adds what OLM v1 will not do, and if the operator may move, the objects that OLM v1 needs.
void add_replacement(const Replaced& replaced, OperatorPlan& plan);

} // namespace opcat::migration
