// Questions about versions and ranges as JSON, and their answers (docs/semver.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace opcat::semver {

// The members of the question that are not lists or objects, and after them those of its answer: `ok` or
// `cmp` with what belongs to it, or `error` with the member that it is in (`error_in`) and the offset there
// (bytes, from 0). Throws RequestError for what is not a question: `lib` is unknown, or a member is missing
// or not a string.
nlohmann::ordered_json answer_to(const nlohmann::ordered_json& question);

} // namespace opcat::semver
