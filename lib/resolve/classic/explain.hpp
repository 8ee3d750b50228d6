// Why the answer is what it is, for people.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/resolve.hpp"

#include <string>
#include <vector>

namespace opcat::classic {

struct Sentence {
    std::string text;
    Location where; // may be nowhere
};

// What cannot hold together, from what the user asked for (Subscriptions, installed operators) down to what
// is in the way: a sentence for each constraint of the core, one for several that say the same of bundles
// of a package. Or, if OLM cannot even compose a problem, the mistakes that keep it from that.
std::vector<Sentence> explain_failure(const Resolution& resolution);

// An operator that the resolver would have preferred, and why it could not be.
struct Rejection {
    std::string what;
    std::vector<Sentence> why;
};

// Where something was chosen although there was something more preferred.
struct Explanation {
    std::string wanted; // the requirement, in OLM's words
    std::string chosen;
    std::vector<Rejection> rejected;
    size_t more = 0; // how many more were rejected than are reported
};
std::vector<Explanation> explain_choices(const Resolution& resolution);

// A change after which the resolution works: tried out, not guessed.
std::vector<std::string> suggest_changes(const Request& request, const Resolution& resolution);

} // namespace opcat::classic
