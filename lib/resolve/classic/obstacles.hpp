// What keeps OLM from upgrading an operator that is installed, as the objects of the cluster say. Each
// function returns a sentence; empty: nothing is known against it.
#pragma once

#include "opcat/kube/object.hpp"

#include <cstddef>
#include <string>

namespace opcat::classic {

using kube::Object;

// From its OperatorCondition.
std::string why_not_upgradeable(const Object& condition);

// Why OLM does not put another version in the place of an operator: it has failed, and its OperatorGroup does
// not let upgrades go on from there.
std::string why_not_replaced(const Object& csv, bool fails_forward);

// Why OLM does not go on with what it has begun: something is being deleted, or an InstallPlan has failed.
// `csv` is what is installed, `plan` the InstallPlan that the Subscription refers to; nullptr: they are not
// known.
std::string why_stopped(const Object& subscription, const Object* csv, const Object* plan);

// What is in a Subscription's namespace, and what it installs from.
struct Surroundings {
    size_t groups = 0; // OperatorGroups
    bool are_groups_known = false;
    const Object* catalog = nullptr; // its CatalogSource
    bool are_catalogs_known = false;
    const Object* unhealthy = nullptr; // a CatalogSource that it sees and that does not answer
};

// Why OLM resolves nothing for a Subscription at the moment.
std::string why_unresolved(const Object& subscription, const Surroundings& around);

// Returns true if the CatalogSource was last seen in a state other than READY.
bool is_unhealthy(const Object& catalog_source);

} // namespace opcat::classic
