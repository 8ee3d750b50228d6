// Work in a process of its own, for libraries that end the process when memory or stack is short.
#pragma once

#include <functional>
#include <string>

namespace opcat {

// Runs `work` in a child process and returns its result. The child has a copy of this process's memory but
// none of its other threads, and its standard error goes nowhere. An Error of `work` is thrown here, too.
// Throws Error if there is no child process, or if it ends otherwise: "`what` was ended by signal 5
// (Trace/breakpoint trap)", with `hint`.
std::string run_apart(const std::function<std::string()>& work, const std::string& what,
                      const std::string& hint);

} // namespace opcat
