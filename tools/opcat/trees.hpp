// The command trees, one for each name of the binary.
#pragma once

#include <span>
#include <string_view>

namespace opcat {

class Command;
class Session;

// `first_word`: the first word of the line. If it is a command's name, only that may be built.
void build_opcat_tree(Command root, Session& session, std::string_view first_word);
// The commands that work with a cluster.
void build_kubectl_tree(Command root, Session& session);
void build_opm_tree(Command root, Session& session);

// Returns true if the name opcat has such a command, so that the other names can point to it.
bool opcat_has(std::string_view command);

// The commands for words that other programs use: "lint", "ls".
std::span<const std::string_view> commands_meant_by(std::string_view word);

} // namespace opcat
