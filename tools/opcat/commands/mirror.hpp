// The parts of `opcat mirror`, each in its file.
#pragma once

#include <string>
#include <vector>

namespace opcat {

class Command;
class Mirror;
class Session;
class ThreadPool;
struct MirroredImages;
struct MirrorRun;

void add_mirror_check(Command mirror, Session& session);
void add_mirror_delete(Command mirror, Session& session);
void add_mirror_diff(Command mirror, Session& session);

// What would be sent, as a table.
void print_sizes(const MirroredImages& mirrored, Session& session);
// What was done, and what was not.
void report_run(const MirroredImages& mirrored, const MirrorRun& run, const Session& session);
// The exit status of a run in which images may have failed (docs/topics/exit-status.md).
int status_of(const MirroredImages& mirrored, const MirrorRun& run);
// With `prune`: removes what the mirror no longer needs, and says so. Returns the images.
std::vector<std::string> remove_superfluous(Mirror& mirror, const MirroredImages& mirrored,
                                            const MirrorRun& run, Session& session, ThreadPool& pool);

} // namespace opcat
