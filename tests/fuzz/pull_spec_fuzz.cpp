// A pull spec that can be parsed can be parsed in its full form, and is the same.
#include "fuzzing.hpp"
#include "opcat/base/pull_spec.hpp"

using namespace opcat;

FUZZ_TARGET(pull_spec) {
    const auto spec = PullSpec::parse(input);
    if (!spec) {
        fuzz::require(!spec.error().message.empty(), "there is a reason");
        return;
    }
    if (spec->registry().empty())
        return; // its first part is not a host, so its full form has another meaning
    const auto again = PullSpec::parse(spec->to_string());
    fuzz::require(again && again->to_string() == spec->to_string(), "in full it is the same");
}
