#include "commands.hpp"
#include "session.hpp"

#include <CLI/CLI.hpp>

namespace opcat {

void add_version(CLI::App& tree, Session& session) {
    CLI::App* command = tree.add_subcommand("version", "Print the version");
    command->callback([&session] { session.out.write("opcat " OPCAT_VERSION "\n"); });
}

} // namespace opcat
