// The signals that ask the program to end.
#pragma once

#include <string>

namespace opcat {

// From now on SIGINT, SIGTERM and SIGHUP remove temporary files before they end the program, in the way that
// they end programs. To be called once, before other threads are made. A signal that was ignored stays
// ignored.
void clean_up_on_signals();

// What to tell the user on standard error if a signal ends the program from now on; empty: nothing.
void say_when_interrupted(const std::string& words);

} // namespace opcat
