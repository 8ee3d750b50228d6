// The subcommands of `opcat mirror`, each in its file.
#pragma once

namespace opcat {

class Command;
class Session;

void add_mirror_check(Command mirror, Session& session);

} // namespace opcat
