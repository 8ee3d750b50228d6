// A resolution with all that OLM looks at before and after it.
#pragma once

#include "base/diagnostic.hpp"
#include "resolve/classic/plan.hpp"

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

Prediction predict(const Request& request);

} // namespace opcat::classic
