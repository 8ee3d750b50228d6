// The commands below `opcat semver`.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace opcat {

class Session;

void add_semver_match(CLI::App& tree, Session& session);
void add_semver_sort(CLI::App& tree, Session& session);

// Answers the questions of a file of JSON Lines, "-" for standard input, each with its line.
void answer_semver_batch(const std::string& path, Session& session);

} // namespace opcat
