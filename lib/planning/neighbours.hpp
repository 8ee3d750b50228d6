// What operators of one cluster do to each other, beside what they require (order.cpp).
#pragma once

#include "opcat/planning/plan.hpp"

namespace opcat::planning {

// Returns true if its upgrades by OLM classic wait for approvals. If those of one operator do, those of all
// in its namespace do: an InstallPlan has the upgrades of a namespace.
bool waits_for_approvals(const OperatorPlan& plan);

// Plans an operator again, or says that what becomes of it is not known, where others decide that, too: a
// package that OLM v1 has installed as well, approvals in its namespace, and APIs that two of them provide.
void settle_neighbours(ClusterPlan& plan, const PlanOptions& options, BundleFacts& facts);

} // namespace opcat::planning
