// One function per command, each in its file under commands/: it adds the command to a tree, and what it adds
// sets `session.exit_status` when it has run.
#pragma once

namespace CLI {
class App;
}

namespace opcat {

class Session;

void add_cache(CLI::App& tree, Session& session);
void add_explain(CLI::App& tree, Session& session);
void add_render(CLI::App& tree, Session& session);
void add_semver(CLI::App& tree, Session& session);
void add_validate(CLI::App& tree, Session& session);
void add_version(CLI::App& tree, Session& session);

} // namespace opcat
