// A resolution with all that OLM looks at before and after it.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/plan.hpp"

#include <string>
#include <vector>

namespace opcat::classic {

// All that is known of one round of OLM in a namespace.
struct Prediction {
    Resolution resolution; // without operators if there is an error
    Plan plan;
    // Of what OLM looks at before and after a resolution. Errors are what OLM would not do, or what would
    // fail; warnings and notes what users should know before. docs/resolve-classic.md lists them.
    Diagnostics findings;

    // OLM's words; empty: it would work.
    const std::string& error() const { return resolution.error.empty() ? plan.error : resolution.error; }
};

// How the caller is given more of what it resolves, as findings name it in their help: "--catalog". Empty:
// not at all.
struct InputNames {
    std::string catalog = {};      // a catalog; "NAMESPACE/NAME=REF" follows
    std::string cluster = {};      // the objects of the cluster
    std::string subscription = {}; // a Subscription that the cluster does not have
};

Prediction predict(const Request& request, const InputNames& inputs = {});

// What keeps OLM from changing a CustomResourceDefinition: a stored version that is gone (always refused); a
// served version that is gone, or an instance that is not valid any more. The latter two OLM refuses only
// where several CSVs own the definition (`owners`), as the old and the new one of an upgrade do; with one
// owner it goes on, and they are warnings.
// `instances` are objects of any kind, of which those of the definition's kind count.
void check_crd_upgrade(const Object& current, const Object& wanted, const std::vector<Object>& instances,
                       size_t owners, Diagnostics& findings);

} // namespace opcat::classic
