// Repeats what a command does when files change (--watch).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace opcat {

class Session;

// Runs the action now, and again whenever a file or directory that `paths` names has changed and does not
// change any more, until a signal ends the program. On a terminal each run has the screen for itself. Errors
// of the action are shown; they may be gone after the next change. What changes is looked at every 300 ms:
// one stat() for each file.
[[noreturn]] void repeat_on_change(const std::function<std::vector<std::string>()>& paths,
                                   const std::function<void()>& action, Session& session);

} // namespace opcat
