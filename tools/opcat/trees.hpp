// The command trees, one per name that the binary is called by.
#pragma once

#include <span>
#include <string_view>

namespace opcat {

class Command;
class Session;

// `first_word`: what stands first on the line. If it is a command's name, that may be the only one that is
// built.
void build_opcat_tree(Command root, Session& session, std::string_view first_word);
// The commands that work with a cluster.
void build_kubectl_tree(Command root, Session& session);
void build_opm_tree(Command root, Session& session);

// Whether the name opcat has such a command, so that the other names can send there.
bool opcat_has(std::string_view command);

// The commands that people mean by a word that other programs have for them: "lint", "ls".
std::span<const std::string_view> commands_meant_by(std::string_view word);

} // namespace opcat
