// `opcat validate --policy`: the verdicts of the official pipelines.
#pragma once

#include "commands/validate.hpp"
#include "opcat/policy/policy.hpp"

#include <string>
#include <vector>

namespace opcat {

class Command;

// `flags` is filled when the command line is parsed, and must live as long as the command.
void add_policy_flags(Command command, PolicyFlags& flags);

// Throws RequestError if a flag has no policy that it is for.
void require_policy(const ValidateOptions& options);

// The options that decide what is looked for, as SelectionOptions::asked.
std::string asked_of(const ValidateOptions& options, const std::vector<std::string>& policies);

void validate_with_policies(const ValidateOptions& options, Session& session);

// Runs policies for catalogs on one that is open, without what the rules find themselves.
std::vector<policy::PolicyRun> run_policies(const std::vector<std::string>& policies,
                                            const std::string& reference, const Source& catalog,
                                            const ValidateOptions& options,
                                            const Configuration& configuration, Session& session);

// With fixes that pin images to these digests. The findings refer to what the runs own.
std::vector<FoundIn> found_by(const std::vector<policy::PolicyRun>& runs, const Configuration& configuration,
                              const ImageDigests& digests = {});

// Adds the checks that the policies leave out to what a report says, each once. With a session they are
// printed, too.
void add_not_checked(std::span<const policy::PolicyRun> runs, SelectedFindings& selected,
                     const Session* says);

} // namespace opcat
