// The subcommands of `opcat mirror`, each in its file.
#pragma once

namespace opcat {

class Command;
class Session;

void add_mirror_check(Command mirror, Session& session);
void add_mirror_delete(Command mirror, Session& session);
void add_mirror_diff(Command mirror, Session& session);

} // namespace opcat
