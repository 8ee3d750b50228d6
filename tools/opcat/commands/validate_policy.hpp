// `opcat validate --policy`: the verdicts of the official pipelines.
#pragma once

#include "commands/validate.hpp"

namespace opcat {

class Command;

// `flags` is filled when the command line is parsed, and must live as long as the command.
void add_policy_flags(Command command, PolicyFlags& flags);

// Throws RequestError if a flag has no policy that it is for.
void require_policy(const ValidateOptions& options);

void validate_with_policies(const ValidateOptions& options, Session& session);

} // namespace opcat
