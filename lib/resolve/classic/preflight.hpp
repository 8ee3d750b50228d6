// A resolution with OLM's checks before and after it.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/plan.hpp"

#include <string>
#include <vector>

namespace opcat::classic {

// The result of one resolution of a namespace.
struct Prediction {
    Resolution resolution; // without operators if there is an error
    Plan plan;
    // From OLM's checks before and after a resolution. Errors are what OLM would refuse, or what would fail;
    // warnings and notes are information for users. docs/resolve-classic.md lists them.
    Diagnostics findings;
};

// The names of the caller's options for more input, for the help of findings: "--catalog". Empty: there is no
// option.
struct InputNames {
    std::string catalog = {};      // a catalog; "NAMESPACE/NAME=REF" follows
    std::string cluster = {};      // the objects of the cluster
    std::string subscription = {}; // a Subscription that is not on the cluster
};

Prediction predict(const Request& request, const InputNames& inputs = {});

// Why OLM refuses a change of a CustomResourceDefinition: a stored version is missing (always refused); a
// served version is missing, or an instance becomes invalid. OLM refuses the latter two only if several CSVs
// own the definition (`owners`), as the old and the new one of an upgrade do; with one owner it continues,
// and they are warnings. `instances` are objects of any kind; those of other kinds are ignored.
void check_crd_upgrade(const Object& current, const Object& wanted, const std::vector<Object>& instances,
                       size_t owners, Diagnostics& findings);

} // namespace opcat::classic
