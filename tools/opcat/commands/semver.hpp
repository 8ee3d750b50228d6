// The commands below `opcat semver`.
#pragma once

#include <string>

namespace opcat {

class Command;
class Session;

void add_semver_match(Command tree, Session& session);
void add_semver_sort(Command tree, Session& session);

// Answers the questions of a file of JSON Lines, "-" for standard input, each with its line.
void answer_semver_batch(const std::string& path, Session& session);

} // namespace opcat
