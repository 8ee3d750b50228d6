// Explanations of a resolution, for people.
#pragma once

#include "opcat/base/diagnostic.hpp"
#include "opcat/resolve/classic/resolve.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace opcat::classic {

struct Sentence {
    std::string text;
    Location where; // may be nowhere
};

// Which constraints contradict each other, from what the user asked for (Subscriptions, installed operators)
// to the cause: a sentence for each constraint of the core, or one for several that say the same about
// bundles of a package. If OLM cannot even compose a problem, the mistakes that prevent it.
std::vector<Sentence> explain_failure(const Resolution& resolution);

// An operator that the resolver would have preferred, and why it was not possible.
struct Rejection {
    std::string what;
    std::vector<Sentence> why;
};

// A choice for which there was a more preferred candidate. Refers to the request.
struct Explanation {
    std::string wanted; // the requirement, in OLM's words
    std::string chosen;
    std::string_view stays; // the name of what is installed, if it was chosen for its Subscription
    std::vector<Rejection> rejected;
    size_t more = 0; // how many other rejected ones are not reported
};
std::vector<Explanation> explain_choices(const Resolution& resolution);

// A change after which the resolution works, which has been tried.
std::vector<std::string> suggest_changes(const Request& request, const Resolution& resolution);

} // namespace opcat::classic
