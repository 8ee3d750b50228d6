#include "resolve.hpp"

#include "commands.hpp"
#include "resolve_classic.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void add_resolve(CLI::App& tree, Session& session) {
    CLI::App* command = tree.add_subcommand("resolve", "Predict what OLM would install or upgrade to");
    command->require_subcommand(1);
    add_resolve_v1(*command, session);
    add_resolve_classic(*command, session);
}

} // namespace opcat
